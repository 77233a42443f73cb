// Floating-point numbers of few bits: rounding by the bits, and the instructions of binary16 and
// bfloat16.
//
// Documents: IEEE 754 for the roundings; the CUDA math API, "Half Precision Intrinsics" and
// "Bfloat16 Precision Intrinsics". On the device an operation is the PTX instruction of its name,
// rounded once to the nearest even. bfloat16 has only `fma` below sm_90, from which CUDA makes sums
// and products, too; below sm_80 it goes through float. Quotients, roots and transcendental
// functions go through float. On the host operations go through double, whose 53 bits hold any sum
// and product.
#pragma once
#pragma GCC system_header
#include "sides.h"

enum { __warpsim_nearest, __warpsim_to_zero, __warpsim_up, __warpsim_down };

// The size of m * 2^e, rounded, as bits of a format: of the fraction, and the exponent of the least
// normal number. What is too large has bits beyond those of the format.
template <int fraction, int least>
__warpsim_both unsigned __warpsim_pack(bool negative, unsigned long long m, int e, int how) {
    if (m == 0) return 0;
    int zeros = __builtin_clzll(m);
    m <<= zeros;
    e += 63 - zeros;
    int drop = 63 - fraction + (e < least ? least - e : 0);
    unsigned kept = drop > 63 ? 0 : (unsigned)(m >> drop);
    bool half = drop > 64 ? false : (m >> (drop - 1)) & 1;
    bool more = drop > 64 || (m & ((1ull << (drop - 1)) - 1)) != 0;
    bool is_away = how == __warpsim_up     ? !negative && (half || more)
                   : how == __warpsim_down ? negative && (half || more)
                                           : false;
    if (how == __warpsim_nearest) is_away = half && (more || (kept & 1) != 0);
    return (e < least ? 0 : (unsigned)(e - least) << fraction) + kept + is_away;
}
// A finite double as m * 2^e.
__warpsim_both unsigned long long __warpsim_parts(double v, int *e) {
    unsigned long long bits = __warpsim_cast<unsigned long long>(v);
    int exponent = (int)(bits >> 52) & 0x7ff;
    *e = exponent == 0 ? -1074 : exponent - 1075;
    return (bits & ((1ull << 52) - 1)) | (unsigned long long)(exponent != 0) << 52;
}
__warpsim_both bool __warpsim_is_negative(double v) {
    return (long long)__warpsim_cast<unsigned long long>(v) < 0;
}

// A format of 16 bits by its bits of fraction and its least exponent.
template <int fraction, int least> struct __warpsim_format {
    static constexpr unsigned infinite = (0x7fff >> fraction) << fraction,
                              one = (unsigned)(1 - least) << fraction;
    static __warpsim_method unsigned short finish(bool negative, unsigned bits, int how) {
        unsigned short sign = negative ? 0x8000 : 0;
        if (bits < infinite) return (unsigned short)(sign | bits);
        bool is_infinite =
            how == __warpsim_nearest || how == (negative ? __warpsim_down : __warpsim_up);
        return (unsigned short)(sign | (is_infinite ? infinite : infinite - 1));
    }
    static __warpsim_method unsigned short round(double v, int how) {
        if (v != v) return 0x7fff;
        bool negative = __warpsim_is_negative(v);
        if (v - v != 0) return (unsigned short)((negative ? 0x8000 : 0) | infinite);
        int e;
        unsigned long long m = __warpsim_parts(v, &e);
        return finish(negative, __warpsim_pack<fraction, least>(negative, m, e, how), how);
    }
    template <class T> static __warpsim_method unsigned short round_integer(T v, int how) {
        bool negative = v < 0;
        unsigned long long m = negative ? 0 - (unsigned long long)v : (unsigned long long)v;
        return finish(negative, __warpsim_pack<fraction, least>(negative, m, 0, how), how);
    }
    // Every number of the format is one of float. (Those below the normal ones of binary16 are made
    // by a product.)
    static __warpsim_method float widen(unsigned short bits) {
        unsigned size = bits & 0x7fff, sign = (unsigned)(bits & 0x8000) << 16;
        if (size > infinite) return __warpsim_cast<float>(0x7fffffffu);
        if (size == infinite) return __warpsim_cast<float>(sign | 0x7f800000u);
        // What lies at the top of a float, times the power of two between the exponents' biases.
        float scaled =
            __warpsim_cast<float>(size << (23 - fraction)) *
            (least == -126 ? 1.0f : __warpsim_cast<float>((unsigned)(127 + 126 + least) << 23));
        return __warpsim_cast<float>(__warpsim_cast<unsigned>(scaled) | sign);
    }
};

// An integer of a float, which is between the ends of its type; for a NaN the least one of 64 bits,
// or 0.
template <class T> __warpsim_both T __warpsim_whole(float v, int how) {
    const bool is_signed = (T)-1 < (T)0;
    const int bits = (int)sizeof(T) * 8 - is_signed;
    if (v != v) return sizeof(T) == 8 ? (T)(1ull << 63) : 0;
    double d = how == __warpsim_nearest   ? __builtin_rint((double)v)
               : how == __warpsim_to_zero ? __builtin_trunc((double)v)
               : how == __warpsim_up      ? __builtin_ceil((double)v)
                                          : __builtin_floor((double)v);
    const double end = (double)(1ull << (bits - 1)) * 2;
    const T most = (T)(~0ull >> (64 - bits));
    return d >= end ? most : d < (is_signed ? -end : 0) ? (is_signed ? (T)(-1 - most) : 0) : (T)d;
}

#ifdef __CUDA__
#define __warpsim_instruction static __device__ __inline__ __attribute__((always_inline, nodebug))
#define __warpsim_unary(name, To, to, From, from, text)                                            \
    __warpsim_instruction To name(From a) {                                                        \
        To r;                                                                                      \
        __asm__(text : to(r) : from(a));                                                           \
        return r;                                                                                  \
    }
#define __warpsim_binary(name, Word, letter, text)                                                 \
    __warpsim_instruction Word name(Word a, Word b) {                                              \
        Word r;                                                                                    \
        __asm__(text : "=" letter(r) : letter(a), letter(b));                                      \
        return r;                                                                                  \
    }
#define __warpsim_ternary(name, Word, letter, text)                                                \
    __warpsim_instruction Word name(Word a, Word b, Word c) {                                      \
        Word r;                                                                                    \
        __asm__(text : "=" letter(r) : letter(a), letter(b), letter(c));                           \
        return r;                                                                                  \
    }
// A reduction in memory; `one` for a number, `two` for a pair.
#define __warpsim_added(name, Word, letter, type)                                                  \
    __warpsim_instruction Word name(Word *p, Word v) {                                             \
        Word old;                                                                                  \
        __asm__ volatile("atom.relaxed.gpu.add.noftz." type " %0, [%1], %2;"                       \
                         : "=" letter(old)                                                         \
                         : "l"(p), letter(v)                                                       \
                         : "memory");                                                              \
        return old;                                                                                \
    }
// Least and greatest, for one number and for two.
#define __warpsim_extremes(type)                                                                   \
    __warpsim_binary(min, unsigned short, "h", "min." type " %0, %1, %2;")                         \
    __warpsim_binary(max, unsigned short, "h", "max." type " %0, %1, %2;")                         \
    __warpsim_binary(min_nan, unsigned short, "h", "min.NaN." type " %0, %1, %2;")                 \
    __warpsim_binary(max_nan, unsigned short, "h", "max.NaN." type " %0, %1, %2;")                 \
    __warpsim_binary(min, unsigned, "r", "min." type "x2 %0, %1, %2;")                             \
    __warpsim_binary(max, unsigned, "r", "max." type "x2 %0, %1, %2;")                             \
    __warpsim_binary(min_nan, unsigned, "r", "min.NaN." type "x2 %0, %1, %2;")                     \
    __warpsim_binary(max_nan, unsigned, "r", "max.NaN." type "x2 %0, %1, %2;")                     \
    __warpsim_ternary(fma_relu, unsigned short, "h", "fma.rn.relu." type " %0, %1, %2, %3;")       \
    __warpsim_ternary(fma_relu, unsigned, "r", "fma.rn.relu." type "x2 %0, %1, %2, %3;")
#define __warpsim_fmas(type)                                                                       \
    __warpsim_ternary(fma, unsigned short, "h", "fma.rn." type " %0, %1, %2, %3;")                 \
    __warpsim_ternary(fma, unsigned, "r", "fma.rn." type "x2 %0, %1, %2, %3;")
#define __warpsim_operation(name, type)                                                            \
    __warpsim_binary(name, unsigned short, "h", #name ".rn." type " %0, %1, %2;")                  \
    __warpsim_binary(name, unsigned, "r", #name ".rn." type "x2 %0, %1, %2;")
#if __CUDA_ARCH__ >= 800
#define __warpsim_has_extremes 1
#endif
#else
#define __warpsim_unary(...)
#define __warpsim_binary(...)
#define __warpsim_ternary(...)
#define __warpsim_extremes(...)
#define __warpsim_fmas(...)
#define __warpsim_operation(...)
#define __warpsim_added(...)
#endif

// Of two numbers of a format F, by its bits: a zero with a sign is below the other; a NaN loses, or
// wins.
template <class F> struct __warpsim_ordered {
    static __warpsim_method bool is_nan(unsigned short a) { return (a & 0x7fff) > F::infinite; }
    // Ascends with the number.
    static __warpsim_method int place(unsigned short a) {
        return a & 0x8000 ? -(int)(a & 0x7fff) - 1 : a;
    }
    static __warpsim_method unsigned short pick(unsigned short a, unsigned short b,
                                                bool is_greatest, bool nan_wins) {
        if (is_nan(a) || is_nan(b))
            return nan_wins || (is_nan(a) && is_nan(b)) ? 0x7fff : is_nan(a) ? b : a;
        return (place(a) < place(b)) == is_greatest ? b : a;
    }
    static __warpsim_method unsigned pick(unsigned a, unsigned b, bool is_greatest, bool nan_wins) {
        return (unsigned)pick((unsigned short)(a >> 16), (unsigned short)(b >> 16), is_greatest,
                              nan_wins)
                   << 16 |
               pick((unsigned short)a, (unsigned short)b, is_greatest, nan_wins);
    }
};

// IEEE 754's binary16.
struct __warpsim_binary16 : __warpsim_format<10, -14> {
#define __warpsim_rounded(name, rounding)                                                          \
    __warpsim_unary(name, unsigned short, "=h", float, "f", "cvt." rounding ".f16.f32 %0, %1;")    \
    __warpsim_unary(name, unsigned short, "=h", double, "d", "cvt." rounding ".f16.f64 %0, %1;")   \
    __warpsim_unary(name, unsigned short, "=h", int, "r", "cvt." rounding ".f16.s32 %0, %1;")      \
    __warpsim_unary(name, unsigned short, "=h", unsigned, "r", "cvt." rounding ".f16.u32 %0, %1;") \
    __warpsim_unary(name, unsigned short, "=h", long long, "l",                                    \
                    "cvt." rounding ".f16.s64 %0, %1;")                                            \
    __warpsim_unary(name, unsigned short, "=h", unsigned long long, "l",                           \
                    "cvt." rounding ".f16.u64 %0, %1;")
    __warpsim_rounded(nearest, "rn")
    __warpsim_rounded(to_zero, "rz")
    __warpsim_rounded(up, "rp")
    __warpsim_rounded(down, "rm")
#undef __warpsim_rounded
    __warpsim_unary(to_float, float, "=f", unsigned short, "h", "cvt.f32.f16 %0, %1;")
    __warpsim_fmas("f16")
    __warpsim_operation(add, "f16")
    __warpsim_operation(sub, "f16")
    __warpsim_operation(mul, "f16")
    __warpsim_extremes("f16")
    __warpsim_unary(tanh_approx, unsigned short, "=h", unsigned short, "h",
                    "tanh.approx.f16 %0, %1;")
    __warpsim_added(added, unsigned short, "h", "f16")
    __warpsim_added(added, unsigned, "r", "f16x2")
};

// The upper half of a float. What has a rounding of its own goes through whole steps of that half.
struct __warpsim_upper16 : __warpsim_format<7, -126> {
    __warpsim_extremes("bf16")
    __warpsim_unary(tanh_approx, unsigned short, "=h", unsigned short, "h",
                    "tanh.approx.bf16 %0, %1;")
    __warpsim_added(added, unsigned short, "h", "bf16")
    __warpsim_added(added, unsigned, "r", "bf16x2")
#ifdef __CUDA__
    static __device__ __inline__ unsigned short away(float v, bool is_away) {
        unsigned bits = __float_as_uint(v), inexact = bits & 0xffff;
        if (v != v) return 0x7fff;
        return (unsigned short)((bits >> 16) + (is_away && inexact != 0));
    }
#if __CUDA_ARCH__ >= 800
    __warpsim_unary(nearest, unsigned short, "=h", float, "f", "cvt.rn.bf16.f32 %0, %1;")
    __warpsim_fmas("bf16")
#else
    static __device__ __inline__ unsigned short nearest(float v) {
        return round(v, __warpsim_nearest);
    }
    static __device__ __inline__ unsigned short fma(unsigned short a, unsigned short b,
                                                    unsigned short c) {
        return nearest(__fmaf_rn(to_float(a), to_float(b), to_float(c)));
    }
    static __device__ __inline__ unsigned fma(unsigned a, unsigned b, unsigned c) {
        return (unsigned)fma((unsigned short)(a >> 16), (unsigned short)(b >> 16),
                             (unsigned short)(c >> 16))
                   << 16 |
               fma((unsigned short)a, (unsigned short)b, (unsigned short)c);
    }
#endif
    static __device__ __inline__ unsigned short to_zero(float v) { return away(v, false); }
    static __device__ __inline__ unsigned short up(float v) { return away(v, v > 0); }
    static __device__ __inline__ unsigned short down(float v) { return away(v, v < 0); }
    // Rounded to odd on its way through float, so that it is rounded once.
    static __device__ __inline__ unsigned short nearest(double v) {
        float toward = __double2float_rz(v);
        return nearest(
            __uint_as_float(__float_as_uint(toward) | (toward == toward && (double)toward != v)));
    }
    template <class T> static __device__ __inline__ unsigned short nearest(T v) {
        return round_integer(v, __warpsim_nearest);
    }
    template <class T> static __device__ __inline__ unsigned short to_zero(T v) {
        return round_integer(v, __warpsim_to_zero);
    }
    template <class T> static __device__ __inline__ unsigned short up(T v) {
        return round_integer(v, __warpsim_up);
    }
    template <class T> static __device__ __inline__ unsigned short down(T v) {
        return round_integer(v, __warpsim_down);
    }
    static __device__ __inline__ float to_float(unsigned short a) {
        return __uint_as_float((unsigned)a << 16);
    }
    template <class W> static __device__ __inline__ W both(unsigned short bits) {
        return (W)(bits * 0x10001u);
    }
    template <class W> static __device__ __inline__ W add(W a, W b) {
        return fma(a, both<W>(0x3f80), b);
    }
    template <class W> static __device__ __inline__ W sub(W a, W b) {
        return fma(b, both<W>(0xbf80), a);
    }
    template <class W> static __device__ __inline__ W mul(W a, W b) {
        return fma(a, b, both<W>(0x8000));
    }
#endif
};
#undef __warpsim_unary
#undef __warpsim_binary
#undef __warpsim_ternary
#undef __warpsim_extremes
#undef __warpsim_fmas
#undef __warpsim_operation
#undef __warpsim_added

// The names of a type: `__warpsim_T` is `half` or `bfloat16`, where these are used.
#define __warpsim_join(before, T, after) before##T##after
#define __warpsim_join_expanded(before, T, after) __warpsim_join(before, T, after)
#define __warpsim_name(before, after) __warpsim_join_expanded(before, __warpsim_T, after)
