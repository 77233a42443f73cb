// Floating-point numbers of 4, 6 and 8 bits: their formats, and the types that hold one, two and
// four of them.
//
// Documents: the OCP specifications "8-bit Floating Point (OFP8)" and "Microscaling Formats (MX)";
// the CUDA math API, "FP8", "FP6" and "FP4 Intrinsics". A number is rounded by its bits, on both
// sides, and not by instructions of sm_89 and later, which give the same. What is too large becomes
// the largest number, unless it is asked not to; a NaN of a format without one, too.
#pragma once
#pragma GCC system_header
#include "narrow.h"
#include "../cuda_bf16.h"
#include "../device_types.h"

// `most` is the largest number, `over` what comes of a larger one that is not to be finite.
template <int fraction, int least, unsigned most, unsigned sign, unsigned over, unsigned nan>
struct __warpsim_tiny {
    static __warpsim_method unsigned of(double v, bool is_finite, int how) {
        if (v != v) return nan;
        bool negative = __warpsim_is_negative(v);
        unsigned bits = most + 1;
        if (v - v == 0) {
            int e;
            unsigned long long m = __warpsim_parts(v, &e);
            bits = __warpsim_pack<fraction, least>(negative, m, e, how);
        }
        return (negative ? sign : 0) | (bits <= most ? bits : is_finite ? most : over);
    }
    static __warpsim_method float single(unsigned bits) {
        unsigned size = bits & (sign - 1);
        if (nan > most && size > most)
            return over < nan && size == over
                       ? __warpsim_cast<float>(0x7f800000u | (bits & sign) << 24)
                       : __warpsim_cast<float>(0x7fffffffu);
        // What lies at the top of a float, times the power of two between the exponents' biases.
        float v = __warpsim_cast<float>(size << (23 - fraction)) *
                  __warpsim_cast<float>((unsigned)(253 + least) << 23);
        return bits & sign ? -v : v;
    }
    static constexpr int width = sign > 8 ? 8 : 4;
    static __warpsim_method bool truth(unsigned bits) { return (bits & (sign - 1)) != 0; }
    template <class T> static __warpsim_method unsigned of_integer(T v) {
        return of((double)(float)v, true, __warpsim_nearest);
    }
    static __warpsim_method unsigned made(double v) { return of(v, true, __warpsim_nearest); }
};
typedef __warpsim_tiny<3, -6, 0x7e, 0x80, 0x7f, 0x7f> __warpsim_e4m3;
typedef __warpsim_tiny<2, -14, 0x7b, 0x80, 0x7c, 0x7f> __warpsim_e5m2;
typedef __warpsim_tiny<3, 0, 0x1f, 0x20, 0x1f, 0x1f> __warpsim_e2m3;
typedef __warpsim_tiny<2, -2, 0x1f, 0x20, 0x1f, 0x1f> __warpsim_e3m2;
typedef __warpsim_tiny<1, 0, 7, 8, 7, 7> __warpsim_e2m1;

// A power of two from 2^-127 on, of a number's size; rounded up, or down. 255 is a NaN.
struct __warpsim_e8m0 {
    static __warpsim_method unsigned power(unsigned long long m, int e, bool is_finite, int how) {
        if (m == 0) return 0;
        int top = 63 - __builtin_clzll(m), code = e + top + 127;
        code += how == __warpsim_up && (m & (m - 1)) != 0;
        return code < 0 ? 0 : code < 255 ? (unsigned)code : is_finite ? 254 : 255;
    }
    static __warpsim_method unsigned of(double v, bool is_finite, int how) {
        if (v != v) return 255;
        if (v - v != 0) return is_finite ? 254 : 255;
        int e;
        unsigned long long m = __warpsim_parts(v, &e);
        return power(m, e, is_finite, how);
    }
    static __warpsim_method float single(unsigned bits) {
        return __warpsim_cast<float>(bits == 255 ? 0x7fffffffu
                                     : bits == 0 ? 0x00400000u
                                                 : bits << 23);
    }
    static constexpr int width = 8;
    static __warpsim_method bool truth(unsigned) { return true; }
    template <class T> static __warpsim_method unsigned of_integer(T v) {
        return power(v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v, 0, true,
                     __warpsim_up);
    }
    static __warpsim_method unsigned made(double v) { return of(v, true, __warpsim_up); }
};

// One number; two, the first in the lower bits; and four.
#define __warpsim_made(Name, T)                                                                    \
    explicit __warpsim_method Name(const T v) : __x((Storage)Format::of_integer(v)) {}
#define __warpsim_read(T)                                                                          \
    explicit __warpsim_method operator T() const {                                                 \
        return __warpsim_whole<T>(Format::single(__x), __warpsim_to_zero);                         \
    }
#define __warpsim_tiny_types(bits, kind, Storage1, Storage2, Storage4)                             \
    struct __nv_fp##bits##_##kind {                                                                \
        typedef __warpsim_##kind Format;                                                           \
        typedef Storage1 Storage;                                                                  \
        Storage __x;                                                                               \
        __nv_fp##bits##_##kind() = default;                                                        \
        explicit __warpsim_method __nv_fp##bits##_##kind(const __half v)                           \
            : __x((Storage)Format::made(__half2float(v))) {}                                       \
        explicit __warpsim_method __nv_fp##bits##_##kind(const __nv_bfloat16 v)                    \
            : __x((Storage)Format::made(__bfloat162float(v))) {}                                   \
        explicit __warpsim_method __nv_fp##bits##_##kind(const float v)                            \
            : __x((Storage)Format::made(v)) {}                                                     \
        explicit __warpsim_method __nv_fp##bits##_##kind(const double v)                           \
            : __x((Storage)Format::made(v)) {}                                                     \
        __warpsim_made(__nv_fp##bits##_##kind, unsigned short)                                     \
        __warpsim_made(__nv_fp##bits##_##kind, unsigned)                                           \
        __warpsim_made(__nv_fp##bits##_##kind, unsigned long)                                      \
        __warpsim_made(__nv_fp##bits##_##kind, unsigned long long)                                 \
        __warpsim_made(__nv_fp##bits##_##kind, short)                                              \
        __warpsim_made(__nv_fp##bits##_##kind, int)                                                \
        __warpsim_made(__nv_fp##bits##_##kind, long)                                               \
        __warpsim_made(__nv_fp##bits##_##kind, long long)                                          \
        explicit __warpsim_method operator __half() const {                                        \
            return __float2half_rn(Format::single(__x));                                           \
        }                                                                                          \
        explicit __warpsim_method operator __nv_bfloat16() const {                                 \
            return __float2bfloat16_rn(Format::single(__x));                                       \
        }                                                                                          \
        explicit __warpsim_method operator float() const { return Format::single(__x); }           \
        explicit __warpsim_method operator double() const { return (double)Format::single(__x); }  \
        explicit __warpsim_method operator bool() const { return Format::truth(__x); }             \
        __warpsim_read(unsigned char)                                                              \
        __warpsim_read(unsigned short)                                                             \
        __warpsim_read(unsigned)                                                                   \
        __warpsim_read(unsigned long)                                                              \
        __warpsim_read(unsigned long long)                                                         \
        __warpsim_read(signed char)                                                                \
        __warpsim_read(char)                                                                       \
        __warpsim_read(short)                                                                      \
        __warpsim_read(int)                                                                        \
        __warpsim_read(long)                                                                       \
        __warpsim_read(long long)                                                                  \
    };                                                                                             \
    struct __attribute__((aligned(sizeof(Storage2)))) __nv_fp##bits##x2_##kind {                   \
        typedef __warpsim_##kind Format;                                                           \
        Storage2 __x;                                                                              \
        __nv_fp##bits##x2_##kind() = default;                                                      \
        static __warpsim_method Storage2 __warpsim_two(double x, double y)                         \
        {                                                                                          \
            return (Storage2)(Format::made(x) | Format::made(y) << Format::width);                 \
        }                                                                                          \
        explicit __warpsim_method __nv_fp##bits##x2_##kind(const __half2 v)                        \
            : __x(__warpsim_two(__low2float(v), __high2float(v))) {}                               \
        explicit __warpsim_method __nv_fp##bits##x2_##kind(const __nv_bfloat162 v)                 \
            : __x(__warpsim_two(__low2float(v), __high2float(v))) {}                               \
        explicit __warpsim_method __nv_fp##bits##x2_##kind(const float2 v)                         \
            : __x(__warpsim_two(v.x, v.y)) {}                                                      \
        explicit __warpsim_method __nv_fp##bits##x2_##kind(const double2 v)                        \
            : __x(__warpsim_two(v.x, v.y)) {}                                                      \
        __warpsim_method float __warpsim_part(int i) const {                                       \
            return Format::single(((unsigned)__x >> i * Format::width) &                           \
                                  ((1u << Format::width) - 1));                                    \
        }                                                                                          \
        explicit __warpsim_method operator __half2() const {                                       \
            return __floats2half2_rn(__warpsim_part(0), __warpsim_part(1));                        \
        }                                                                                          \
        explicit __warpsim_method operator __nv_bfloat162() const {                                \
            return __floats2bfloat162_rn(__warpsim_part(0), __warpsim_part(1));                    \
        }                                                                                          \
        explicit __warpsim_method operator float2() const {                                        \
            float2 v = {__warpsim_part(0), __warpsim_part(1)};                                     \
            return v;                                                                              \
        }                                                                                          \
    };                                                                                             \
    struct __attribute__((aligned(sizeof(Storage4)))) __nv_fp##bits##x4_##kind {                   \
        typedef __warpsim_##kind Format;                                                           \
        typedef __nv_fp##bits##x2_##kind Two;                                                      \
        Storage4 __x;                                                                              \
        __nv_fp##bits##x4_##kind() = default;                                                      \
        static __warpsim_method Storage4 __warpsim_four(Two low, Two high) {                       \
            return (Storage4)((unsigned)low.__x | (unsigned)high.__x << 2 * Format::width);        \
        }                                                                                          \
        explicit __warpsim_method __nv_fp##bits##x4_##kind(const __half2 low, const __half2 high)  \
            : __x(__warpsim_four(Two(low), Two(high))) {}                                          \
        explicit __warpsim_method __nv_fp##bits##x4_##kind(const __nv_bfloat162 low,               \
                                                           const __nv_bfloat162 high)              \
            : __x(__warpsim_four(Two(low), Two(high))) {}                                          \
        explicit __warpsim_method __nv_fp##bits##x4_##kind(const float4 v)                         \
            : __x(__warpsim_four(Two(float2{v.x, v.y}), Two(float2{v.z, v.w}))) {}                 \
        explicit __warpsim_method __nv_fp##bits##x4_##kind(const double4 v)                        \
            : __x(__warpsim_four(Two(double2{v.x, v.y}), Two(double2{v.z, v.w}))) {}               \
        explicit __warpsim_method operator float4() const {                                        \
            const unsigned mask = (1u << Format::width) - 1;                                       \
            float4 v = {Format::single(__x & mask),                                                \
                        Format::single(((unsigned)__x >> Format::width) & mask),                   \
                        Format::single(((unsigned)__x >> 2 * Format::width) & mask),               \
                        Format::single((unsigned)__x >> 3 * Format::width)};                       \
            return v;                                                                              \
        }                                                                                          \
    };

// Conversions as functions: from a type, of one (`value(v)` as a double) and of two.
#define __warpsim_converted(name1, name2, T1, T2, value, low, high, Storage1, Storage2, width,     \
                            parameters, arguments)                                                 \
    __warpsim_both Storage1 name1(const T1 v, __warpsim_expand parameters) {                       \
        return (Storage1)__warpsim_tiny_of(value, __warpsim_expand arguments);                     \
    }                                                                                              \
    __warpsim_both Storage2 name2(const T2 v, __warpsim_expand parameters) {                       \
        return (Storage2)(__warpsim_tiny_of(low, __warpsim_expand arguments) |                     \
                          __warpsim_tiny_of(high, __warpsim_expand arguments) << (width));         \
    }
#define __warpsim_expand(...) __VA_ARGS__
__warpsim_both float __warpsim_raw(unsigned short bits, const __half_raw &)
{
    return __half2float(__ushort_as_half(bits));
}
__warpsim_both float __warpsim_raw(unsigned short bits, const __half2_raw &)
{
    return __half2float(__ushort_as_half(bits));
}
__warpsim_both float __warpsim_raw(unsigned short bits, const __nv_bfloat16_raw &)
{
    return __bfloat162float(__ushort_as_bfloat16(bits));
}
__warpsim_both float __warpsim_raw(unsigned short bits, const __nv_bfloat162_raw &)
{
    return __bfloat162float(__ushort_as_bfloat16(bits));
}
#define __warpsim_conversions(bits, Storage1, Storage2, width, parameters, arguments)              \
    __warpsim_converted(__nv_cvt_double_to_fp##bits, __nv_cvt_double2_to_fp##bits##x2, double,     \
                        double2, v, v.x, v.y, Storage1, Storage2, width, parameters, arguments)    \
    __warpsim_converted(__nv_cvt_float_to_fp##bits, __nv_cvt_float2_to_fp##bits##x2, float,        \
                        float2, v, v.x, v.y, Storage1, Storage2, width, parameters, arguments)     \
    __warpsim_converted(__nv_cvt_halfraw_to_fp##bits, __nv_cvt_halfraw2_to_fp##bits##x2,           \
                        __half_raw, __half2_raw, __warpsim_raw(v.x, v), __warpsim_raw(v.x, v),     \
                        __warpsim_raw(v.y, v), Storage1, Storage2, width, parameters, arguments)   \
    __warpsim_converted(__nv_cvt_bfloat16raw_to_fp##bits, __nv_cvt_bfloat16raw2_to_fp##bits##x2,   \
                        __nv_bfloat16_raw, __nv_bfloat162_raw, __warpsim_raw(v.x, v),              \
                        __warpsim_raw(v.x, v), __warpsim_raw(v.y, v), Storage1, Storage2, width,   \
                        parameters, arguments)                                                     \
    __warpsim_both __half_raw __nv_cvt_fp##bits##_to_halfraw(                                      \
        const Storage1 v, const __nv_fp##bits##_interpretation_t kind) {                           \
        return __float2half_rn(__warpsim_tiny_single(v & ((1u << (width)) - 1), kind));            \
    }                                                                                              \
    __warpsim_both __half2_raw __nv_cvt_fp##bits##x2_to_halfraw2(                                  \
        const Storage2 v, const __nv_fp##bits##_interpretation_t kind) {                           \
        const unsigned mask = (1u << (width)) - 1;                                                 \
        return __floats2half2_rn(__warpsim_tiny_single(v & mask, kind),                            \
                                 __warpsim_tiny_single(((unsigned)v >> (width)) & mask, kind));    \
    }
