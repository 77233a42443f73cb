// Floating-point numbers of 16 bits, and pairs of them: what `__half` and `__nv_bfloat16` have in common.
//
// Document: the CUDA math API, "Half Precision Intrinsics" and "Bfloat16 Precision Intrinsics". On the device an operation is the
// PTX instruction of its name, rounded once to the nearest even; bfloat16 has only `fma` below sm_90, from which CUDA makes sums and
// products, too. Quotients, roots and transcendental functions go through float. On the host operations go through double, whose
// 53 bits hold any sum and product of two. Missing are conversions of 64-bit integers, and operations that flush or relax.
#pragma once
#pragma GCC system_header

enum { __warpsim_nearest, __warpsim_to_zero, __warpsim_up, __warpsim_down };

// A format by its bits: of the fraction, and the exponent of the least normal number.
template <int fraction, int least> struct __warpsim_format {
    // A number of the host, rounded.
    static inline unsigned short round(double v, int how) {
        // All bits of the exponent, of which there are 15 less those of the fraction.
        unsigned short sign = __builtin_signbit(v) ? 0x8000 : 0, infinite = (0x7fff >> fraction) << fraction;
        if (v != v)
            return 0x7fff;
        double size = __builtin_fabs(v);
        if (size == __builtin_inf())
            return sign | infinite;
        int exponent = least;
        if (size != 0 && __builtin_ilogb(size) > least)
            exponent = __builtin_ilogb(size);
        double steps = __builtin_ldexp(size, fraction - exponent), whole = __builtin_floor(steps), rest = steps - whole;
        bool is_away = how == __warpsim_up ? !sign : how == __warpsim_down ? sign != 0 : false;
        if (how == __warpsim_nearest)
            is_away = rest > 0.5 || (rest == 0.5 && __builtin_fmod(whole, 2) != 0);
        else
            is_away = is_away && rest > 0;
        unsigned bits = ((unsigned)(exponent - least) << fraction) + (unsigned)whole + is_away;
        if (bits < infinite)
            return sign | (unsigned short)bits;
        bool is_infinite = how == __warpsim_nearest || (how == __warpsim_up && !sign) || (how == __warpsim_down && sign);
        return sign | (unsigned short)(is_infinite ? infinite : infinite - 1);
    }
    static inline float widen(unsigned short bits) {
        int exponent = (bits & 0x7fff) >> fraction, digits = bits & ((1 << fraction) - 1);
        float size = exponent == 0 ? (float)__builtin_ldexp(digits, least - fraction)
                                   : (float)__builtin_ldexp(digits + (1 << fraction), exponent - 1 + least - fraction);
        if (exponent == (0x7fff >> fraction))
            size = digits ? __builtin_nanf("") : __builtin_inff();
        return bits & 0x8000 ? -size : size;
    }
};

#define __warpsim_unary(name, To, to, From, from, text)                                                                \
    static __device__ __inline__ __attribute__((always_inline, nodebug)) To name(From a) {                             \
        To r;                                                                                                          \
        __asm__(text : to(r) : from(a));                                                                               \
        return r;                                                                                                      \
    }
#define __warpsim_binary(name, Word, letter, text)                                                                     \
    static __device__ __inline__ __attribute__((always_inline, nodebug)) Word name(Word a, Word b) {                   \
        Word r;                                                                                                        \
        __asm__(text : "=" letter(r) : letter(a), letter(b));                                                          \
        return r;                                                                                                      \
    }
#define __warpsim_ternary(name, Word, letter, text)                                                                    \
    static __device__ __inline__ __attribute__((always_inline, nodebug)) Word name(Word a, Word b, Word c) {           \
        Word r;                                                                                                        \
        __asm__(text : "=" letter(r) : letter(a), letter(b), letter(c));                                               \
        return r;                                                                                                      \
    }
// What both formats have of instructions, for one number and for two.
#define __warpsim_common(type)                                                                                         \
    __warpsim_unary(nearest, unsigned short, "=h", float, "f", "cvt.rn." type ".f32 %0, %1;")                          \
    __warpsim_ternary(fma, unsigned short, "h", "fma.rn." type " %0, %1, %2, %3;")                                     \
    __warpsim_ternary(fma, unsigned, "r", "fma.rn." type "x2 %0, %1, %2, %3;")                                         \
    __warpsim_ternary(fma_relu, unsigned short, "h", "fma.rn.relu." type " %0, %1, %2, %3;")                           \
    __warpsim_binary(min, unsigned short, "h", "min." type " %0, %1, %2;")                                             \
    __warpsim_binary(max, unsigned short, "h", "max." type " %0, %1, %2;")                                             \
    __warpsim_binary(min, unsigned, "r", "min." type "x2 %0, %1, %2;")                                                 \
    __warpsim_binary(max, unsigned, "r", "max." type "x2 %0, %1, %2;")

// IEEE 754's binary16.
struct __half;
struct __half2;
struct __warpsim_binary16 : __warpsim_format<10, -14> {
    typedef __half One;
    typedef __half2 Two;
    __warpsim_common("f16")
    __warpsim_unary(to_zero, unsigned short, "=h", float, "f", "cvt.rz.f16.f32 %0, %1;")
    __warpsim_unary(up, unsigned short, "=h", float, "f", "cvt.rp.f16.f32 %0, %1;")
    __warpsim_unary(down, unsigned short, "=h", float, "f", "cvt.rm.f16.f32 %0, %1;")
    __warpsim_unary(of_double, unsigned short, "=h", double, "d", "cvt.rn.f16.f64 %0, %1;")
    __warpsim_unary(to_float, float, "=f", unsigned short, "h", "cvt.f32.f16 %0, %1;")
    __warpsim_binary(add, unsigned short, "h", "add.rn.f16 %0, %1, %2;")
    __warpsim_binary(sub, unsigned short, "h", "sub.rn.f16 %0, %1, %2;")
    __warpsim_binary(mul, unsigned short, "h", "mul.rn.f16 %0, %1, %2;")
    __warpsim_binary(add, unsigned, "r", "add.rn.f16x2 %0, %1, %2;")
    __warpsim_binary(sub, unsigned, "r", "sub.rn.f16x2 %0, %1, %2;")
    __warpsim_binary(mul, unsigned, "r", "mul.rn.f16x2 %0, %1, %2;")
};

// The upper half of a float. What has a rounding of its own goes through whole steps of that half.
struct __nv_bfloat16;
struct __nv_bfloat162;
struct __warpsim_upper16 : __warpsim_format<7, -126> {
    typedef __nv_bfloat16 One;
    typedef __nv_bfloat162 Two;
    __warpsim_common("bf16")
    static __device__ __inline__ unsigned short away(float v, bool is_away) {
        unsigned bits = __float_as_uint(v), inexact = bits & 0xffff;
        if (v != v)
            return 0x7fff;
        return (unsigned short)((bits >> 16) + (is_away && inexact != 0));
    }
    static __device__ __inline__ unsigned short to_zero(float v) { return away(v, false); }
    static __device__ __inline__ unsigned short up(float v) { return away(v, v > 0); }
    static __device__ __inline__ unsigned short down(float v) { return away(v, v < 0); }
    // Rounded to odd on its way through float, so that it is rounded once.
    static __device__ __inline__ unsigned short of_double(double v) {
        float toward = __double2float_rz(v);
        return nearest(__uint_as_float(__float_as_uint(toward) | (toward == toward && (double)toward != v)));
    }
    static __device__ __inline__ float to_float(unsigned short a) { return __uint_as_float((unsigned)a << 16); }
    template <class W> static __device__ __inline__ W both(unsigned short bits) { return (W)(bits * 0x10001u); }
    template <class W> static __device__ __inline__ W add(W a, W b) { return fma(a, both<W>(0x3f80), b); }
    template <class W> static __device__ __inline__ W sub(W a, W b) { return fma(b, both<W>(0xbf80), a); }
    template <class W> static __device__ __inline__ W mul(W a, W b) { return fma(a, b, both<W>(0x8000)); }
};
#undef __warpsim_common
#undef __warpsim_unary
#undef __warpsim_binary
#undef __warpsim_ternary

#ifdef __CUDA_ARCH__
#define __warpsim_here(device, host) (device)
#else
#define __warpsim_here(device, host) (host)
#endif

// One number: what `__half` and `__nv_bfloat16` are made of, which are types of their own, for programs declare them as such.
template <class F> struct __warpsim_one16 {
    typedef F format_of_one;
    typedef typename F::One One;
    unsigned short __x;
    __warpsim_one16() = default;
    __host__ __device__ __inline__ __warpsim_one16(float v) : __x(__warpsim_here(F::nearest(v), F::round(v, __warpsim_nearest))) {}
    __host__ __device__ __inline__ __warpsim_one16(double v) : __x(__warpsim_here(F::of_double(v), F::round(v, __warpsim_nearest))) {}
    __host__ __device__ __inline__ __warpsim_one16(int v) : __warpsim_one16((double)v) {}
    __host__ __device__ __inline__ __warpsim_one16(unsigned v) : __warpsim_one16((double)v) {}
    __host__ __device__ __inline__ __warpsim_one16(short v) : __warpsim_one16((double)v) {}
    __host__ __device__ __inline__ __warpsim_one16(unsigned short v) : __warpsim_one16((double)v) {}
    static __host__ __device__ __inline__ One of(unsigned short bits) {
        One v;
        v.__x = bits;
        return v;
    }
    __host__ __device__ __inline__ operator float() const { return __warpsim_here(F::to_float(__x), F::widen(__x)); }
#define __warpsim_operator(sign, name)                                                                                 \
    friend __host__ __device__ __inline__ One operator sign(One a, One b) {                                            \
        return __warpsim_here(of(F::name(a.__x, b.__x)), One((double)(float)a sign (double)(float)b));                 \
    }                                                                                                                  \
    friend __host__ __device__ __inline__ One &operator sign##=(One &a, One b) { return a = a sign b; }
    __warpsim_operator(+, add)
    __warpsim_operator(-, sub)
    __warpsim_operator(*, mul)
#undef __warpsim_operator
    // A quotient of two is rounded once to float and once more, which is the same as once (24 bits are two more than twice 11).
    friend __host__ __device__ __inline__ One operator/(One a, One b) { return One((float)a / (float)b); }
    friend __host__ __device__ __inline__ One &operator/=(One &a, One b) { return a = a / b; }
    friend __host__ __device__ __inline__ One operator-(One a) { return of(a.__x ^ 0x8000); }
#define __warpsim_compare(sign)                                                                                        \
    friend __host__ __device__ __inline__ bool operator sign(One a, One b) { return (float)a sign (float)b; }
    __warpsim_compare(==) __warpsim_compare(!=) __warpsim_compare(<) __warpsim_compare(<=) __warpsim_compare(>) __warpsim_compare(>=)
#undef __warpsim_compare
};

// Two of them, the first in the lower bits.
template <class F> struct __attribute__((aligned(4))) __warpsim_two16 {
    typedef F format_of_two;
    typedef typename F::One One;
    typedef typename F::Two Two;
    One x, y;
    __warpsim_two16() = default;
    __host__ __device__ __inline__ __warpsim_two16(One a, One b) : x(a), y(b) {}
    __host__ __device__ __inline__ unsigned bits() const { return (unsigned)y.__x << 16 | x.__x; }
    static __host__ __device__ __inline__ Two of(unsigned bits) {
        return Two(One::of((unsigned short)bits), One::of((unsigned short)(bits >> 16)));
    }
#define __warpsim_operator(sign, name)                                                                                 \
    friend __host__ __device__ __inline__ Two operator sign(Two a, Two b) {                                            \
        return __warpsim_here(of(F::name(a.bits(), b.bits())), Two(a.x sign b.x, a.y sign b.y));                       \
    }                                                                                                                  \
    friend __host__ __device__ __inline__ Two &operator sign##=(Two &a, Two b) { return a = a sign b; }
    __warpsim_operator(+, add)
    __warpsim_operator(-, sub)
    __warpsim_operator(*, mul)
#undef __warpsim_operator
    friend __host__ __device__ __inline__ Two operator/(Two a, Two b) { return Two(a.x / b.x, a.y / b.y); }
    friend __host__ __device__ __inline__ Two operator-(Two a) { return of(a.bits() ^ 0x80008000u); }
};

// Functions of one number, or of two; `h` are those that the host has, too.
#define __warpsim_h1 template <class T, class F = typename T::format_of_one> static __host__ __device__ __inline__
#define __warpsim_d1 template <class T, class F = typename T::format_of_one> static __device__ __inline__
#define __warpsim_h2 template <class T, class F = typename T::format_of_two> static __host__ __device__ __inline__
#define __warpsim_d2 template <class T, class F = typename T::format_of_two> static __device__ __inline__
__warpsim_h1 T __hadd(T a, T b) { return a + b; }
__warpsim_h1 T __hsub(T a, T b) { return a - b; }
__warpsim_h1 T __hmul(T a, T b) { return a * b; }
__warpsim_h1 T __hdiv(T a, T b) { return a / b; }
__warpsim_h1 T __hneg(T a) { return -a; }
__warpsim_h1 T __habs(T a) { return T::of(a.__x & 0x7fff); }
__warpsim_d1 T __hfma(T a, T b, T c) { return T::of(F::fma(a.__x, b.__x, c.__x)); }
__warpsim_d1 T __hfma_relu(T a, T b, T c) {
    return T::of(F::fma_relu(a.__x, b.__x, c.__x));
}
// To what lies from 0 to 1; what is no number becomes 0.
__warpsim_h1 T __warpsim_saturated(T a) {
    float v = a;
    return v > 0 ? v < 1 ? a : T(1.0f) : T(0.0f);
}
__warpsim_h1 T __hadd_sat(T a, T b) { return __warpsim_saturated(a + b); }
__warpsim_h1 T __hsub_sat(T a, T b) { return __warpsim_saturated(a - b); }
__warpsim_h1 T __hmul_sat(T a, T b) { return __warpsim_saturated(a * b); }
__warpsim_d1 T __hfma_sat(T a, T b, T c) { return __warpsim_saturated(__hfma(a, b, c)); }
__warpsim_d1 T __hmin(T a, T b) { return T::of(F::min(a.__x, b.__x)); }
__warpsim_d1 T __hmax(T a, T b) { return T::of(F::max(a.__x, b.__x)); }
__warpsim_h1 bool __hisnan(T a) { return (float)a != (float)a; }
__warpsim_h1 int __hisinf(T a) {
    float v = a;
    return v == __builtin_inff() ? 1 : v == -__builtin_inff() ? -1 : 0;
}
#define __warpsim_compare(name, sign)                                                                                  \
    __warpsim_h1 bool __h##name(T a, T b) { return a sign b; }                                      \
    __warpsim_h1 bool __h##name##u(T a, T b) { return __hisnan(a) || __hisnan(b) || a sign b; }     \
    __warpsim_h2 T __h##name##2(T a, T b) {                                               \
        return T(typename F::One(a.x sign b.x ? 1.0f : 0.0f), typename F::One(a.y sign b.y ? 1.0f : 0.0f));          \
    }                                                                                                                  \
    __warpsim_h2 bool __hb##name##2(T a, T b) { return a.x sign b.x && a.y sign b.y; }
__warpsim_compare(eq, ==)
__warpsim_compare(lt, <)
__warpsim_compare(le, <=)
__warpsim_compare(gt, >)
__warpsim_compare(ge, >=)
#undef __warpsim_compare
__warpsim_h1 bool __hne(T a, T b) { return !__hisnan(a) && !__hisnan(b) && a != b; }
__warpsim_h1 bool __hneu(T a, T b) { return a != b; }
__warpsim_h2 T __hadd2(T a, T b) { return a + b; }
__warpsim_h2 T __hsub2(T a, T b) { return a - b; }
__warpsim_h2 T __hmul2(T a, T b) { return a * b; }
__warpsim_h2 T __h2div(T a, T b) { return a / b; }
__warpsim_h2 T __hneg2(T a) { return -a; }
__warpsim_h2 T __habs2(T a) { return T::of(a.bits() & 0x7fff7fffu); }
__warpsim_d2 T __hfma2(T a, T b, T c) {
    return T::of(F::fma(a.bits(), b.bits(), c.bits()));
}
__warpsim_d2 T __hmin2(T a, T b) { return T::of(F::min(a.bits(), b.bits())); }
__warpsim_d2 T __hmax2(T a, T b) { return T::of(F::max(a.bits(), b.bits())); }

#define __warpsim_function(name, of)                                                                                   \
    __warpsim_d1 T h##name(T a) { return T(of((float)a)); }                               \
    __warpsim_d2 T h2##name(T a) { return T(h##name(a.x), h##name(a.y)); }
__warpsim_function(sqrt, sqrtf)
__warpsim_function(rsqrt, rsqrtf)
__warpsim_function(rcp, 1.0f /)
__warpsim_function(exp, expf)
__warpsim_function(exp2, exp2f)
__warpsim_function(exp10, exp10f)
__warpsim_function(log, logf)
__warpsim_function(log2, log2f)
__warpsim_function(log10, log10f)
__warpsim_function(sin, sinf)
__warpsim_function(cos, cosf)
__warpsim_function(floor, floorf)
__warpsim_function(ceil, ceilf)
__warpsim_function(trunc, truncf)
__warpsim_function(rint, rintf)
#undef __warpsim_function

// What has one name for both: what it gives tells which it is for.
#define __warpsim_of_one template <class T> static __device__ __inline__ typename T::format_of_one::One
#define __warpsim_of_two template <class T> static __device__ __inline__ typename T::format_of_two::Two
#define __warpsim_shuffled(name, Extra, extra)                                                                         \
    __warpsim_of_one name(unsigned mask, T v, Extra extra, int width = 32) {                                           \
        return T::of((unsigned short)name(mask, (unsigned)v.__x, extra, width));                                       \
    }                                                                                                                  \
    __warpsim_of_two name(unsigned mask, T v, Extra extra, int width = 32) {                                           \
        return T::of(name(mask, v.bits(), extra, width));                                                              \
    }
__warpsim_shuffled(__shfl_sync, int, lane)
__warpsim_shuffled(__shfl_up_sync, unsigned, delta)
__warpsim_shuffled(__shfl_down_sync, unsigned, delta)
__warpsim_shuffled(__shfl_xor_sync, int, mask_of_lane)
#undef __warpsim_shuffled

__warpsim_of_one __ldg(const T *p) { return T::of(__ldg((const unsigned short *)p)); }
__warpsim_of_two __ldg(const T *p) { return T::of(__ldg((const unsigned *)p)); }
// A sum of each half by itself, as CUDA makes it where no instruction does: the word is tried until nobody has changed it.
__warpsim_of_two atomicAdd(T *p, T v) {
    unsigned old = atomicCAS((unsigned *)p, 0u, 0u), seen;
    do {
        seen = old;
        old = atomicCAS((unsigned *)p, seen, (T::of(seen) + v).bits());
    } while (old != seen);
    return T::of(old);
}
__warpsim_of_one atomicAdd(T *p, T v) {
    unsigned short old = atomicCAS((unsigned short *)p, (unsigned short)0, (unsigned short)0), seen;
    do {
        seen = old;
        old = atomicCAS((unsigned short *)p, seen, (T::of(seen) + v).__x);
    } while (old != seen);
    return T::of(old);
}

// The names that have that of the type in them: T is `half` or `bfloat16`.
#define __warpsim_names(T, One, Two)                                                                                   \
    static __host__ __device__ __inline__ One __float2##T(float v) { return One(v); }                                  \
    static __host__ __device__ __inline__ One __float2##T##_rn(float v) { return One(v); }                             \
    static __host__ __device__ __inline__ One __float2##T##_rz(float v) {                                              \
        return One::of(__warpsim_here(One::format_of_one::to_zero(v), One::format_of_one::round(v, __warpsim_to_zero)));             \
    }                                                                                                                  \
    static __host__ __device__ __inline__ One __float2##T##_ru(float v) {                                              \
        return One::of(__warpsim_here(One::format_of_one::up(v), One::format_of_one::round(v, __warpsim_up)));                       \
    }                                                                                                                  \
    static __host__ __device__ __inline__ One __float2##T##_rd(float v) {                                              \
        return One::of(__warpsim_here(One::format_of_one::down(v), One::format_of_one::round(v, __warpsim_down)));                   \
    }                                                                                                                  \
    static __host__ __device__ __inline__ One __double2##T(double v) { return One(v); }                                \
    static __host__ __device__ __inline__ One __int2##T##_rn(int v) { return One(v); }                                 \
    static __host__ __device__ __inline__ One __uint2##T##_rn(unsigned v) { return One(v); }                           \
    static __host__ __device__ __inline__ One __short2##T##_rn(short v) { return One(v); }                             \
    static __host__ __device__ __inline__ One __ushort2##T##_rn(unsigned short v) { return One(v); }                   \
    static __host__ __device__ __inline__ float __##T##2float(One v) { return v; }                                     \
    static __device__ __inline__ int __##T##2int_rn(One v) { return __float2int_rn(v); }                               \
    static __device__ __inline__ int __##T##2int_rz(One v) { return __float2int_rz(v); }                               \
    static __device__ __inline__ int __##T##2int_ru(One v) { return __float2int_ru(v); }                               \
    static __device__ __inline__ int __##T##2int_rd(One v) { return __float2int_rd(v); }                               \
    static __device__ __inline__ unsigned __##T##2uint_rn(One v) { return __float2uint_rn(v); }                        \
    static __device__ __inline__ unsigned __##T##2uint_rz(One v) { return __float2uint_rz(v); }                        \
    static __host__ __device__ __inline__ One __ushort_as_##T(unsigned short bits) { return One::of(bits); }           \
    static __host__ __device__ __inline__ One __short_as_##T(short bits) { return One::of((unsigned short)bits); }     \
    static __host__ __device__ __inline__ unsigned short __##T##_as_ushort(One v) { return v.__x; }                    \
    static __host__ __device__ __inline__ short __##T##_as_short(One v) { return (short)v.__x; }                       \
    static __host__ __device__ __inline__ Two __halves2##T##2(One a, One b) { return Two(a, b); }                      \
    static __host__ __device__ __inline__ Two __##T##2##T##2(One a) { return Two(a, a); }                              \
    static __host__ __device__ __inline__ One __low2##T(Two a) { return a.x; }                                         \
    static __host__ __device__ __inline__ One __high2##T(Two a) { return a.y; }                                        \
    static __host__ __device__ __inline__ Two __low2##T##2(Two a) { return Two(a.x, a.x); }                            \
    static __host__ __device__ __inline__ Two __high2##T##2(Two a) { return Two(a.y, a.y); }                           \
    static __host__ __device__ __inline__ Two __lows2##T##2(Two a, Two b) { return Two(a.x, b.x); }                    \
    static __host__ __device__ __inline__ Two __highs2##T##2(Two a, Two b) { return Two(a.y, b.y); }                   \
    static __host__ __device__ __inline__ Two __float2##T##2_rn(float v) { return Two(One(v), One(v)); }               \
    static __host__ __device__ __inline__ Two __floats2##T##2_rn(float a, float b) { return Two(One(a), One(b)); }     \
    static __host__ __device__ __inline__ Two __float22##T##2_rn(float2 v) { return Two(One(v.x), One(v.y)); }         \
    static __host__ __device__ __inline__ float2 __##T##22float2(Two v) { return float2{(float)v.x, (float)v.y}; }

__warpsim_h2 float __low2float(T a) { return a.x; }
__warpsim_h2 float __high2float(T a) { return a.y; }
__warpsim_h2 T __lowhigh2highlow(T a) { return T(a.y, a.x); }
