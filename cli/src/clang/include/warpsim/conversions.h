// CUDA's conversions with a rounding, bit casts, arithmetic with a rounding, and the fast functions of float.
//
// Document: the CUDA math API ("Type Casting Intrinsics", "Single/Double Precision Intrinsics"). Each of the first three
// kinds is one PTX instruction, exact or rounded once as its name says: n(earest even), z(ero), u(p), d(own). The fast
// functions are what nvcc makes of them: approximate instructions (`ex2.approx`, ...) and a product.
#pragma once
#pragma GCC system_header
#include "math_library.h"

#define __warpsim_cvt(name, To, to, From, from, instruction)                                       \
    __warpsim_device To name(From a) {                                                             \
        To r;                                                                                      \
        __asm__(instruction " %0, %1;" : to(r) : from(a));                                         \
        return r;                                                                                  \
    }
// To an integer: four roundings to integral values.
#define __warpsim_to_integers(name, To, to, From, from, types)                                     \
    __warpsim_cvt(name##_rn, To, to, From, from, "cvt.rni" types)                                  \
    __warpsim_cvt(name##_rz, To, to, From, from, "cvt.rzi" types)                                  \
    __warpsim_cvt(name##_ru, To, to, From, from, "cvt.rpi" types)                                  \
    __warpsim_cvt(name##_rd, To, to, From, from, "cvt.rmi" types)
__warpsim_to_integers(__float2int, int, "=r", float, "f", ".s32.f32")
__warpsim_to_integers(__float2uint, unsigned, "=r", float, "f", ".u32.f32")
__warpsim_to_integers(__float2ll, long long, "=l", float, "f", ".s64.f32")
__warpsim_to_integers(__float2ull, unsigned long long, "=l", float, "f", ".u64.f32")
__warpsim_to_integers(__double2int, int, "=r", double, "d", ".s32.f64")
__warpsim_to_integers(__double2uint, unsigned, "=r", double, "d", ".u32.f64")
__warpsim_to_integers(__double2ll, long long, "=l", double, "d", ".s64.f64")
__warpsim_to_integers(__double2ull, unsigned long long, "=l", double, "d", ".u64.f64")
// To a floating-point number.
#define __warpsim_to_floats(name, To, to, From, from, types)                                       \
    __warpsim_cvt(name##_rn, To, to, From, from, "cvt.rn" types)                                   \
    __warpsim_cvt(name##_rz, To, to, From, from, "cvt.rz" types)                                   \
    __warpsim_cvt(name##_ru, To, to, From, from, "cvt.rp" types)                                   \
    __warpsim_cvt(name##_rd, To, to, From, from, "cvt.rm" types)
__warpsim_to_floats(__int2float, float, "=f", int, "r", ".f32.s32")
__warpsim_to_floats(__uint2float, float, "=f", unsigned, "r", ".f32.u32")
__warpsim_to_floats(__ll2float, float, "=f", long long, "l", ".f32.s64")
__warpsim_to_floats(__ull2float, float, "=f", unsigned long long, "l", ".f32.u64")
__warpsim_to_floats(__ll2double, double, "=d", long long, "l", ".f64.s64")
__warpsim_to_floats(__ull2double, double, "=d", unsigned long long, "l", ".f64.u64")
__warpsim_to_floats(__double2float, float, "=f", double, "d", ".f32.f64")
__warpsim_cvt(__int2double_rn, double, "=d", int, "r", "cvt.rn.f64.s32")
__warpsim_cvt(__uint2double_rn, double, "=d", unsigned, "r", "cvt.rn.f64.u32")

// Bit casts.
__warpsim_device int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
__warpsim_device unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
__warpsim_device float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
__warpsim_device float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
__warpsim_device long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
__warpsim_device double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
__warpsim_device int __double2hiint(double v) { return (int)(__builtin_bit_cast(long long, v) >> 32); }
__warpsim_device int __double2loint(double v) { return (int)__builtin_bit_cast(long long, v); }
__warpsim_device double __hiloint2double(int hi, int lo) {
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

// Arithmetic with a rounding.
#define __warpsim_op1(name, T, c, instruction)                                                     \
    __warpsim_device T name(T a) {                                                                 \
        T r;                                                                                       \
        __asm__(instruction " %0, %1;" : "=" c(r) : c(a));                                         \
        return r;                                                                                  \
    }
#define __warpsim_op2(name, T, c, instruction)                                                     \
    __warpsim_device T name(T x, T y) {                                                            \
        T r;                                                                                       \
        __asm__(instruction " %0, %1, %2;" : "=" c(r) : c(x), c(y));                               \
        return r;                                                                                  \
    }
#define __warpsim_op3(name, T, c, instruction)                                                     \
    __warpsim_device T name(T x, T y, T z) {                                                       \
        T r;                                                                                       \
        __asm__(instruction " %0, %1, %2, %3;" : "=" c(r) : c(x), c(y), c(z));                     \
        return r;                                                                                  \
    }
#define __warpsim_roundings(op, name, T, c, before, after)                                         \
    op(name##_rn, T, c, before ".rn" after) op(name##_rz, T, c, before ".rz" after)                \
    op(name##_ru, T, c, before ".rp" after) op(name##_rd, T, c, before ".rm" after)
__warpsim_roundings(__warpsim_op2, __fadd, float, "f", "add", ".f32")
__warpsim_roundings(__warpsim_op2, __fsub, float, "f", "sub", ".f32")
__warpsim_roundings(__warpsim_op2, __fmul, float, "f", "mul", ".f32")
__warpsim_roundings(__warpsim_op3, __fmaf, float, "f", "fma", ".f32")
__warpsim_roundings(__warpsim_op3, __fmaf_ieee, float, "f", "fma", ".f32")
__warpsim_roundings(__warpsim_op2, __fdiv, float, "f", "div", ".f32")
__warpsim_roundings(__warpsim_op1, __frcp, float, "f", "rcp", ".f32")
__warpsim_roundings(__warpsim_op1, __fsqrt, float, "f", "sqrt", ".f32")
__warpsim_roundings(__warpsim_op2, __dadd, double, "d", "add", ".f64")
__warpsim_roundings(__warpsim_op2, __dsub, double, "d", "sub", ".f64")
__warpsim_roundings(__warpsim_op2, __dmul, double, "d", "mul", ".f64")
__warpsim_roundings(__warpsim_op3, __fma, double, "d", "fma", ".f64")
__warpsim_roundings(__warpsim_op2, __ddiv, double, "d", "div", ".f64")
__warpsim_roundings(__warpsim_op1, __drcp, double, "d", "rcp", ".f64")
__warpsim_roundings(__warpsim_op1, __dsqrt, double, "d", "sqrt", ".f64")
// 1 / sqrt(a) rounded to nearest: the double is good to 2^-53, and a float's result is not that near to a tie but where
// it is exact.
__warpsim_device float __frsqrt_rn(float a) { return (float)__warpsim_rsqrt(a); }

// The fast functions.
__warpsim_op1(__warpsim_ex2, float, "f", "ex2.approx.f32") __warpsim_op1(__warpsim_lg2, float, "f", "lg2.approx.f32")
__warpsim_op1(__sinf, float, "f", "sin.approx.f32") __warpsim_op1(__cosf, float, "f", "cos.approx.f32")
__warpsim_op1(__saturatef, float, "f", "cvt.sat.f32.f32") __warpsim_op2(__fdividef, float, "f", "div.approx.f32")
__warpsim_device float __expf(float a) { return __warpsim_ex2(__fmul_rn(a, 0x1.715476p+0f)); }
__warpsim_device float __exp10f(float a) { return __warpsim_ex2(__fmul_rn(a, 0x1.a934fp+1f)); }
__warpsim_device float __log2f(float a) { return __warpsim_lg2(a); }
__warpsim_device float __logf(float a) { return __fmul_rn(__warpsim_lg2(a), 0x1.62e43p-1f); }
__warpsim_device float __log10f(float a) { return __fmul_rn(__warpsim_lg2(a), 0x1.344136p-2f); }
__warpsim_device float __powf(float a, float b) { return __warpsim_ex2(__fmul_rn(b, __warpsim_lg2(a))); }
__warpsim_device float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
__warpsim_device float __tanhf(float a) {
    float r;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
__warpsim_device void __sincosf(float a, float *s, float *c) {
    *s = __sinf(a);
    *c = __cosf(a);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000
// Two at once, from sm_100 on: each is rounded as the one.
#define __warpsim_pairs(rounding)                                                                  \
    __warpsim_device float2 __fadd2_##rounding(float2 x, float2 y) {                               \
        return float2{__fadd_##rounding(x.x, y.x), __fadd_##rounding(x.y, y.y)};                   \
    }                                                                                              \
    __warpsim_device float2 __fmul2_##rounding(float2 x, float2 y) {                               \
        return float2{__fmul_##rounding(x.x, y.x), __fmul_##rounding(x.y, y.y)};                   \
    }                                                                                              \
    __warpsim_device float2 __ffma2_##rounding(float2 x, float2 y, float2 z) {                     \
        return float2{__fmaf_##rounding(x.x, y.x, z.x), __fmaf_##rounding(x.y, y.y, z.y)};         \
    }
__warpsim_pairs(rn) __warpsim_pairs(rz) __warpsim_pairs(ru) __warpsim_pairs(rd)
#undef __warpsim_pairs
#endif
