// The math functions of float: computed in double, and rounded once.
//
// Document: the CUDA math API, and the CUDA C++ Programming Guide's table of single-precision errors (from 1 to 6 ulp).
// The errors here are little over half an ulp. The frequent functions (exp, log, pow, sin, cos, tan, tanh, sinh, cosh, ...)
// have short kernels of their own, and the inverse ones; the others call the double function.
#pragma once
#pragma GCC system_header
#include "math_exact.h"
#include "math_inverse.h"

// e^r for |r| <= 0.35, to 2^-35.
__warpsim_both double __warpsim_exp_kernel_float(double r) {
    constexpr double c[] = {1, 1, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
    return __warpsim_polynomial(r, c);
}
// e^x as a double, for x of any size; to 2^-35.
__warpsim_both double __warpsim_exp_float(double x) {
    if (__warpsim_isnan(x)) return x;
    x = x > 600 ? 600 : x < -600 ? -600 : x;
    double n = __warpsim_rint(__warpsim_mul(x, 0x1.71547652b82fep+0));
    double r = __warpsim_fma(-n, 0x1.62e42fefa39efp-1, x);
    return __warpsim_exp_kernel_float(r) * __warpsim_power2((int)n);
}
__warpsim_both float __warpsim_expf(float x) { return (float)__warpsim_exp_float(x); }
__warpsim_both float __warpsim_exp2f(float x) {
    if (x != x) return x;
    double a = x > 600 ? 600 : x < -600 ? -600 : x, n = __warpsim_rint(a);
    return (float)(__warpsim_exp_kernel_float((a - n) * 0x1.62e42fefa39efp-1) * __warpsim_power2((int)n));
}
__warpsim_both float __warpsim_exp10f(float x) {
    if (x != x) return x;
    double a = x > 60 ? 60 : x < -60 ? -60 : x, n = __warpsim_rint(__warpsim_mul(a, 0x1.a934f0979a371p+1));
    double r = __warpsim_fma(-n, 0x1.34413509f79ffp-2, a) * 0x1.26bb1bbb55516p+1;
    return (float)(__warpsim_exp_kernel_float(r) * __warpsim_power2((int)n));
}
// e^x - 1, to 2^-33 of itself.
__warpsim_both double __warpsim_expm1_float(double x) {
    if (__warpsim_abs(x) > 0.34) return __warpsim_exp_float(x) - 1;
    constexpr double c[] = {1,          0.5,        1.0 / 6,     1.0 / 24,     1.0 / 120,
                            1.0 / 720,  1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800};
    return x == 0 ? x : x * __warpsim_polynomial(x, c);
}
__warpsim_both float __warpsim_expm1f(float x) { return (float)__warpsim_expm1_float(x); }

// m * 2^e = x: log(m) with m from sqrt(1/2) to sqrt(2), for a normal x > 0.
__warpsim_both double __warpsim_log_kernel_float(double x, int *e) {
    constexpr double c[] = {2, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13};
    unsigned long long bits = __warpsim_bits(x);
    long long n = (long long)(bits - 0x3fe6a09e667f3bcdull) >> 52;
    double m = __warpsim_double(bits - ((unsigned long long)n << 52));
    double s = (m - 1) / (m + 1);
    *e = (int)n;
    return s * __warpsim_polynomial(s * s, c);
}
// NaN, and the values at 0, below, and at infinity. True: `r` is the result.
__warpsim_both bool __warpsim_log_special_float(float x, float *r) {
    if (x > 0 && x < __builtin_inff()) return false;
    *r = x == 0 ? -__builtin_inff() : x > 0 || x != x ? x : __builtin_nanf("");
    return true;
}
// log(x) for a normal double x > 0; to 2^-35.
__warpsim_both double __warpsim_log_float(double x) {
    int e;
    double p = __warpsim_log_kernel_float(x, &e);
    return __warpsim_fma(e, 0x1.62e42fefa39efp-1, p);
}
__warpsim_both float __warpsim_logf(float x) {
    float r;
    return __warpsim_log_special_float(x, &r) ? r : (float)__warpsim_log_float(x);
}
__warpsim_both float __warpsim_log2f(float x) {
    float r;
    if (__warpsim_log_special_float(x, &r)) return r;
    int e;
    double p = __warpsim_log_kernel_float(x, &e);
    return (float)__warpsim_fma(p, 0x1.71547652b82fep+0, e);
}
__warpsim_both float __warpsim_log10f(float x) {
    float r;
    return __warpsim_log_special_float(x, &r) ? r : (float)(__warpsim_log_float(x) * 0x1.bcb7b1526e50ep-2);
}
// log(1 + x) for a double x > -1; to 2^-33 of itself.
__warpsim_both double __warpsim_log1p_float(double x) {
    double u = __warpsim_add(1, x);
    return __warpsim_log_float(u) + __warpsim_sub(x, __warpsim_sub(u, 1)) / u;
}
__warpsim_both float __warpsim_log1pf(float x) {
    float r;
    if (x == 0) return x;
    if (!(x > -1 && x < __builtin_inff())) return __warpsim_log_special_float(x + 1, &r) ? r : x;
    return (float)__warpsim_log1p_float(x);
}
__warpsim_both float __warpsim_powf(float x, float y) {
    double special;
    if (__warpsim_pow_special(x, y, &special)) return (float)special;
    double a = __warpsim_abs(x);
    float r = (float)__warpsim_exp_float(y * __warpsim_log_float(a));
    return x < 0 && __warpsim_parity(y) == 1 ? -r : r;
}

__warpsim_both float __warpsim_sinf(float x) {
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x - x;
    if (__builtin_fabsf(x) < 0x1p-13f) return x == 0 ? x : (float)__warpsim_sin_float(x);
    int q;
    double r = __warpsim_reduce_float(x, &q);
    return (float)__warpsim_sin_quadrant_float(r, q);
}
__warpsim_both float __warpsim_cosf(float x) {
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x - x;
    int q;
    double r = __warpsim_reduce_float(x, &q);
    return (float)__warpsim_sin_quadrant_float(r, q + 1);
}
__warpsim_both void __warpsim_sincosf(float x, float *s, float *c) {
    if (!(__builtin_fabsf(x) < __builtin_inff())) {
        *s = *c = x - x;
        return;
    }
    int q;
    double r = __warpsim_reduce_float(x, &q);
    float a = (float)__warpsim_sin_float(r), b = (float)__warpsim_cos_float(r);
    float u = q & 1 ? b : a, v = q & 1 ? a : b;
    *s = x == 0 ? x : q & 2 ? -u : u;
    *c = (q + 1) & 2 ? -v : v;
}
__warpsim_both float __warpsim_tanf(float x) {
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x - x;
    if (x == 0) return x;
    int q;
    double r = __warpsim_reduce_float(x, &q);
    double s = __warpsim_sin_float(r), c = __warpsim_cos_float(r);
    return (float)(q & 1 ? -c / s : s / c);
}
__warpsim_both float __warpsim_sinpif(float x) {
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x - x;
    double k = __warpsim_rint(2.0 * x), r = 0x1.921fb54442d18p+1 * __warpsim_fma(-0.5, k, x);
    double v = __warpsim_sin_quadrant_float(r, (int)((long long)__warpsim_fma(-4, __warpsim_floor(0.25 * k), k)));
    // An integer's sign is the argument's.
    return r == 0 && __warpsim_floor(x) == x ? __builtin_copysignf(0, x) : (float)v;
}
__warpsim_both float __warpsim_cospif(float x) {
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x - x;
    double k = __warpsim_rint(2.0 * x), r = 0x1.921fb54442d18p+1 * __warpsim_fma(-0.5, k, x);
    return (float)__warpsim_add(0, __warpsim_sin_quadrant_float(r, 1 + (int)((long long)__warpsim_fma(-4, __warpsim_floor(0.25 * k), k))));
}

// The angle of (x, y), both >= 0 and not both 0; to 2^-40.
__warpsim_both double __warpsim_angle_float(double y, double x) {
    constexpr double c[] = {1, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9};
    bool steep = y > x;
    double above = steep ? x : y, below = steep ? y : x;
    double eighths = __warpsim_rint(8 * (above / below)), step = 0.125 * eighths;
    double u = __warpsim_fma(-step, below, above) / __warpsim_fma(step, above, below);
    double r = __warpsim_fma(u, __warpsim_polynomial(u * u, c), __warpsim_atan_eighths((int)eighths).hi);
    return steep ? 0x1.921fb54442d18p+0 - r : r;
}
__warpsim_both float __warpsim_atanf(float x) {
    double a = __warpsim_abs(x);
    if (x != x) return x;
    return (float)__warpsim_copysign(__warpsim_angle_float(a < 1e40 ? a : 1e40, 1), x);
}
__warpsim_both float __warpsim_atan2f(float y, float x) {
    if (x != x || y != y) return x + y;
    double a = __warpsim_abs(x), b = __warpsim_abs(y);
    if (a == __warpsim_inf && b == a) {
        a = b = 1;
    } else {
        // infinity as a number that is large enough
        a = a < 1e80 ? a : 1e150;
        b = b < 1e80 ? b : 1e150;
    }
    double r = b == 0 ? 0 : a == 1e150 ? 0 : __warpsim_angle_float(b, a);
    if (__builtin_signbit(x)) r = 0x1.921fb54442d18p+1 - r;
    return (float)__warpsim_copysign(r, y);
}
__warpsim_both double __warpsim_cosine_float(double x) { return __warpsim_sqrt((1 - x) * (1 + x)); }
__warpsim_both float __warpsim_asinf(float x) {
    double a = __warpsim_abs(x);
    if (x != x) return x;
    if (a > 1) return __builtin_nanf("");
    return (float)__warpsim_copysign(__warpsim_angle_float(a, __warpsim_cosine_float(a)), x);
}
__warpsim_both float __warpsim_acosf(float x) {
    double a = __warpsim_abs(x);
    if (x != x) return x;
    if (a > 1) return __builtin_nanf("");
    double r = __warpsim_angle_float(__warpsim_cosine_float(a), a);
    return (float)(x < 0 ? 0x1.921fb54442d18p+1 - r : r);
}

__warpsim_both float __warpsim_sinhf(float x) {
    double a = __warpsim_abs(x);
    if (x == 0 || x != x) return x;
    double e = __warpsim_expm1_float(a);
    return (float)__warpsim_copysign(a > 300 ? e : 0.5 * (e + e / (e + 1)), x);
}
__warpsim_both float __warpsim_coshf(float x) {
    double e = __warpsim_exp_float(__warpsim_abs(x));
    return (float)(0.5 * (e + 1 / e));
}
__warpsim_both float __warpsim_tanhf(float x) {
    double a = __warpsim_abs(x);
    if (x == 0 || x != x) return x;
    double e = __warpsim_expm1_float(a > 20 ? 40 : 2 * a);
    return (float)__warpsim_copysign(e / (e + 2), x);
}

__warpsim_both float __warpsim_asinhf(float x) {
    double a = __warpsim_abs(x), q = a * a;
    if (x == 0 || !(a < __warpsim_inf)) return x;
    return (float)__warpsim_copysign(__warpsim_log1p_float(a + q / (1 + __warpsim_sqrt(1 + q))), x);
}
__warpsim_both float __warpsim_acoshf(float x) {
    double t = (double)x - 1;
    if (!(t >= 0)) return x != x ? x : __builtin_nanf("");
    return t < __warpsim_inf ? (float)__warpsim_log1p_float(t + __warpsim_sqrt(t * (t + 2))) : x;
}
__warpsim_both float __warpsim_atanhf(float x) {
    double a = __warpsim_abs(x);
    if (x == 0 || x != x) return x;
    if (a >= 1) return a == 1 ? __builtin_copysignf(__builtin_inff(), x) : __builtin_nanf("");
    return (float)__warpsim_copysign(0.5 * __warpsim_log1p_float(2 * a / (1 - a)), x);
}

// On the device one instruction, good to 2^-22.9 of itself, as CUDA's is.
__warpsim_both float __warpsim_rsqrtf(float x) {
#ifdef __CUDA_ARCH__
    return __nvvm_rsqrt_approx_f(x);
#else
    return (float)__warpsim_rsqrt(x);
#endif
}
__warpsim_both float __warpsim_normf(float a, float b, float c, float d) {
    double s = (double)a * a + (double)b * b + (double)c * c + (double)d * d;
    bool infinite = __warpsim_isinf(a) || __warpsim_isinf(b) || __warpsim_isinf(c) || __warpsim_isinf(d);
    return infinite ? __builtin_inff() : (float)__warpsim_sqrt(s);
}
__warpsim_both float __warpsim_rnormf(float a, float b, float c, float d) {
    double s = (double)a * a + (double)b * b + (double)c * c + (double)d * d;
    bool infinite = __warpsim_isinf(a) || __warpsim_isinf(b) || __warpsim_isinf(c) || __warpsim_isinf(d);
    return infinite ? 0 : (float)(1 / __warpsim_sqrt(s));
}
// The rest: the double function, rounded.
#define __warpsim_from_double(name)                                                                \
    __warpsim_both float __warpsim_##name##f(float x) { return (float)__warpsim_##name(x); }
__warpsim_from_double(cbrt) __warpsim_from_double(rcbrt) __warpsim_from_double(erf) __warpsim_from_double(erfc)
__warpsim_from_double(erfcx) __warpsim_from_double(normcdf) __warpsim_from_double(tgamma) __warpsim_from_double(lgamma)
__warpsim_from_double(logb) __warpsim_from_double(erfinv) __warpsim_from_double(erfcinv)
__warpsim_from_double(normcdfinv)
