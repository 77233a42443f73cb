// CUDA's math functions under their names, in device code: `exp`, `expf`, `exp(float)`, `std::exp`, ...
//
// Document: the CUDA math API. Include this before any header of the C or C++ library: libstdc++ has constexpr functions
// of the same names, which clang takes for host and device unless a device function is declared before. Host code keeps
// the functions of the host's library. Names that CUDA has and the host's library lacks (rsqrt, normcdf, ...) are for both.
#pragma once
// clang lets libstdc++ add constexpr host functions beside ours only where ours are of a system header.
#pragma GCC system_header
#include "math_float.h"
#include "math_bessel.h"

#if defined(__has_include)
#if __has_include(<features.h>)
#include <features.h>
#endif
#endif

template <bool yes, class T> struct __warpsim_if {};
template <class T> struct __warpsim_if<true, T> { typedef T type; };
// (Within a class: clang 14 cannot put a type trait into the name of a function.)
template <class T> struct __warpsim_kind {
    static constexpr bool is_integer = __is_integral(T);
    template <class U> static constexpr bool is = __is_same(T, U);
    static constexpr bool is_number = __is_arithmetic(T) && !__is_same(T, long double);
};

// Overloads for integers, and for mixed arguments: those of double. The attribute lets them win over libstdc++'s templates.
#define __warpsim_integer1(result, name)                                                           \
    template <class T>                                                                             \
    __warpsim_device typename __warpsim_if<__warpsim_kind<T>::is_integer, result>::type name(T x)               \
        __attribute__((enable_if(true, ""))) {                                                     \
        return name((double)x);                                                                    \
    }
#define __warpsim_mixed2(result, name)                                                             \
    template <class T, class U>                                                                    \
    __warpsim_device typename __warpsim_if<__warpsim_kind<T>::is_number && __warpsim_kind<U>::is_number, result>::type name(T x, U y) \
        __attribute__((enable_if(true, ""))) {                                                     \
        return name((double)x, (double)y);                                                         \
    }

// name(double), namef(float), name(float), name(integer).
#define __warpsim_names1(side, name, of_double, of_float)                                          \
    side double name(double x) { return of_double; }                                               \
    side float name##f(float x) { return of_float; }                                               \
    side float name(float x) { return of_float; }
#define __warpsim_math1(name)                                                                      \
    __warpsim_names1(__warpsim_device, name, __warpsim_##name(x), __warpsim_##name##f(x))          \
    __warpsim_integer1(double, name)
#define __warpsim_builtin1(name)                                                                   \
    __warpsim_names1(__warpsim_device, name, __builtin_##name(x), __builtin_##name##f(x))          \
    __warpsim_integer1(double, name)
#define __warpsim_names2(side, name, of_double, of_float)                                          \
    side double name(double x, double y) { return of_double; }                                     \
    side float name##f(float x, float y) { return of_float; }                                      \
    side float name(float x, float y) { return of_float; }

// Absolute values.
__warpsim_device int abs(int x) { return x < 0 ? -x : x; }
__warpsim_device long abs(long x) { return x < 0 ? -x : x; }
__warpsim_device long long abs(long long x) { return x < 0 ? -x : x; }
__warpsim_device long labs(long x) { return x < 0 ? -x : x; }
__warpsim_device long long llabs(long long x) { return x < 0 ? -x : x; }
__warpsim_device double abs(double x) { return __builtin_fabs(x); }
__warpsim_device float abs(float x) { return __builtin_fabsf(x); }

// One instruction, or a few.
__warpsim_builtin1(fabs) __warpsim_builtin1(floor) __warpsim_builtin1(ceil) __warpsim_builtin1(trunc)
__warpsim_builtin1(rint) __warpsim_builtin1(nearbyint)
__warpsim_names1(__warpsim_device, sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_rn_f(x)) __warpsim_integer1(double, sqrt)
// Half away from zero; the difference is exact.
__warpsim_device double round(double x) {
    double t = __builtin_trunc(x);
    return __builtin_copysign(__builtin_fabs(x - t) >= 0.5 ? t + __builtin_copysign(1.0, x) : t, x);
}
__warpsim_device float roundf(float x) {
    float t = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_fabsf(x - t) >= 0.5f ? t + __builtin_copysignf(1.0f, x) : t, x);
}
__warpsim_device float round(float x) { return roundf(x); }
__warpsim_integer1(double, round)

#define __warpsim_to_integer(T, type, name, round_name)                                            \
    __warpsim_device T l##name(double x) {                                                         \
        T r;                                                                                       \
        __asm__("cvt.rni." type ".f64 %0, %1;" : "=l"(r) : "d"(round_name(x)));                    \
        return r;                                                                                  \
    }                                                                                              \
    __warpsim_device T l##name##f(float x) { return l##name((double)x); }                          \
    __warpsim_device T l##name(float x) { return l##name((double)x); }                             \
    __warpsim_integer1(T, l##name)
__warpsim_to_integer(long, "s64", rint, ) __warpsim_to_integer(long long, "s64", lrint, )
__warpsim_to_integer(long, "s64", round, round) __warpsim_to_integer(long long, "s64", lround, round)

__warpsim_names2(__warpsim_device, fmin, __builtin_fmin(x, y), __builtin_fminf(x, y)) __warpsim_mixed2(double, fmin)
__warpsim_names2(__warpsim_device, fmax, __builtin_fmax(x, y), __builtin_fmaxf(x, y)) __warpsim_mixed2(double, fmax)
__warpsim_names2(__warpsim_device, copysign, __builtin_copysign(x, y), __builtin_copysignf(x, y))
__warpsim_mixed2(double, copysign)
__warpsim_names2(__warpsim_device, fdim, __warpsim_fdim(x, y), x <= y ? 0 : x - y) __warpsim_mixed2(double, fdim)
__warpsim_device double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__warpsim_device float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__warpsim_device float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
template <class T, class U, class V>
__warpsim_device typename __warpsim_if<__warpsim_kind<T>::is_number && __warpsim_kind<U>::is_number && __warpsim_kind<V>::is_number, double>::type
fma(T x, U y, V z) __attribute__((enable_if(true, ""))) {
    return __builtin_fma((double)x, (double)y, (double)z);
}
__warpsim_both float fdividef(float x, float y) { return x / y; }
__warpsim_both double fdivide(double x, double y) { return x / y; }

// Remainders and parts.
__warpsim_names2(__warpsim_device, fmod, __warpsim_fmod(x, y), (float)__warpsim_fmod(x, y)) __warpsim_mixed2(double, fmod)
__warpsim_device double remquo(double x, double y, int *q) { return __warpsim_remquo(x, y, q); }
__warpsim_device float remquof(float x, float y, int *q) { return (float)__warpsim_remquo(x, y, q); }
__warpsim_device float remquo(float x, float y, int *q) { return (float)__warpsim_remquo(x, y, q); }
__warpsim_device double remainder(double x, double y) { int q; return __warpsim_remquo(x, y, &q); }
__warpsim_device float remainderf(float x, float y) { int q; return (float)__warpsim_remquo(x, y, &q); }
__warpsim_device float remainder(float x, float y) { int q; return (float)__warpsim_remquo(x, y, &q); }
__warpsim_mixed2(double, remainder)
__warpsim_names2(__warpsim_device, nextafter, __warpsim_nextafter(x, y), __warpsim_nextafterf(x, y))
__warpsim_mixed2(double, nextafter)
__warpsim_device double modf(double x, double *whole) { return __warpsim_modf(x, whole); }
__warpsim_device float modff(float x, float *whole) {
    double w;
    float r = (float)__warpsim_modf(x, &w);
    *whole = (float)w;
    return r;
}
__warpsim_device float modf(float x, float *whole) { return modff(x, whole); }
__warpsim_device double frexp(double x, int *e) { return __warpsim_frexp(x, e); }
__warpsim_device float frexpf(float x, int *e) { return (float)__warpsim_frexp(x, e); }
__warpsim_device float frexp(float x, int *e) { return (float)__warpsim_frexp(x, e); }
#define __warpsim_scalings(name, T)                                                                \
    __warpsim_device double name(double x, T k) { return __warpsim_scalbn(x, k > 5000 ? 5000 : k < -5000 ? -5000 : (int)k); } \
    __warpsim_device float name##f(float x, T k) { return (float)name((double)x, k > 500 ? 500 : k < -500 ? -500 : k); } \
    __warpsim_device float name(float x, T k) { return name##f(x, k); }                            \
    template <class U>                                                                             \
    __warpsim_device typename __warpsim_if<__warpsim_kind<U>::is_integer, double>::type name(U x, T k)          \
        __attribute__((enable_if(true, ""))) {                                                     \
        return name((double)x, k);                                                                 \
    }
__warpsim_scalings(ldexp, int) __warpsim_scalings(scalbn, int) __warpsim_scalings(scalbln, long)
__warpsim_math1(logb)
__warpsim_device int ilogb(double x) { return __warpsim_ilogb(x); }
__warpsim_device int ilogbf(float x) { return __warpsim_ilogb(x); }
__warpsim_device int ilogb(float x) { return __warpsim_ilogb(x); }
__warpsim_integer1(int, ilogb)

// Exponentials, logarithms, powers, roots.
__warpsim_math1(exp) __warpsim_math1(exp2) __warpsim_math1(exp10) __warpsim_math1(expm1) __warpsim_math1(log)
__warpsim_math1(log2) __warpsim_math1(log10) __warpsim_math1(log1p) __warpsim_math1(cbrt)
__warpsim_names2(__warpsim_device, pow, __warpsim_pow(x, y), __warpsim_powf(x, y)) __warpsim_mixed2(double, pow)
__warpsim_device double powi(double x, int y) { return __warpsim_pow(x, y); }
__warpsim_device float powif(float x, int y) { return (float)__warpsim_pow(x, y); }
__warpsim_names2(__warpsim_device, hypot, __warpsim_norm(x, y, 0, 0), __warpsim_normf(x, y, 0, 0))
__warpsim_mixed2(double, hypot)

// Circular and hyperbolic functions.
__warpsim_math1(sin) __warpsim_math1(cos) __warpsim_math1(tan) __warpsim_math1(asin) __warpsim_math1(acos)
__warpsim_math1(atan) __warpsim_math1(sinh) __warpsim_math1(cosh) __warpsim_math1(tanh) __warpsim_math1(asinh)
__warpsim_math1(acosh) __warpsim_math1(atanh)
__warpsim_names2(__warpsim_device, atan2, __warpsim_atan2(x, y), __warpsim_atan2f(x, y)) __warpsim_mixed2(double, atan2)
__warpsim_device void sincos(double x, double *s, double *c) { __warpsim_sincos(x, s, c); }
__warpsim_device void sincosf(float x, float *s, float *c) { __warpsim_sincosf(x, s, c); }
__warpsim_device void sincos(float x, float *s, float *c) { __warpsim_sincosf(x, s, c); }

// Special functions.
__warpsim_math1(erf) __warpsim_math1(erfc) __warpsim_math1(tgamma) __warpsim_math1(lgamma)

#define __warpsim_bessel(name, of)                                                                 \
    __warpsim_device double name(double x) { return of; }                                          \
    __warpsim_device float name##f(float x) { return (float)of; }                                  \
    __warpsim_device float name(float x) { return (float)of; }
__warpsim_bessel(j0, __warpsim_bessel_j(x, 0)) __warpsim_bessel(j1, __warpsim_bessel_j(x, 1))
__warpsim_bessel(y0, __warpsim_bessel_y(x, 0)) __warpsim_bessel(y1, __warpsim_bessel_y(x, 1))
__warpsim_bessel(cyl_bessel_i0, __warpsim_bessel_i(x, 0)) __warpsim_bessel(cyl_bessel_i1, __warpsim_bessel_i(x, 1))
__warpsim_device double jn(int n, double x) { return __warpsim_jn(n, x); }
__warpsim_device float jnf(int n, float x) { return (float)__warpsim_jn(n, x); }
__warpsim_device float jn(int n, float x) { return (float)__warpsim_jn(n, x); }
__warpsim_device double yn(int n, double x) { return __warpsim_yn(n, x); }
__warpsim_device float ynf(int n, float x) { return (float)__warpsim_yn(n, x); }
__warpsim_device float yn(int n, float x) { return (float)__warpsim_yn(n, x); }

// On both sides: what the host's library lacks. (glibc has rsqrt from 2.42 on, sinpi and cospi from 2.41 on.)
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 41)
#define __warpsim_pi_side __warpsim_device
#endif
#if __GLIBC_PREREQ(2, 42)
#define __warpsim_rsqrt_side __warpsim_device
#endif
#endif
#ifndef __warpsim_pi_side
#define __warpsim_pi_side __warpsim_both
#endif
#ifndef __warpsim_rsqrt_side
#define __warpsim_rsqrt_side __warpsim_both
#endif
__warpsim_names1(__warpsim_rsqrt_side, rsqrt, __warpsim_rsqrt(x), __warpsim_rsqrtf(x))
__warpsim_names1(__warpsim_pi_side, sinpi, __warpsim_sinpi(x), __warpsim_sinpif(x))
__warpsim_names1(__warpsim_pi_side, cospi, __warpsim_cospi(x), __warpsim_cospif(x))
__warpsim_names1(__warpsim_both, rcbrt, __warpsim_rcbrt(x), __warpsim_rcbrtf(x))
__warpsim_names1(__warpsim_both, erfcx, __warpsim_erfcx(x), __warpsim_erfcxf(x))
__warpsim_names1(__warpsim_both, erfinv, __warpsim_erfinv(x), __warpsim_erfinvf(x))
__warpsim_names1(__warpsim_both, erfcinv, __warpsim_erfcinv(x), __warpsim_erfcinvf(x))
__warpsim_names1(__warpsim_both, normcdfinv, __warpsim_normcdfinv(x), __warpsim_normcdfinvf(x))
__warpsim_names1(__warpsim_both, normcdf, __warpsim_normcdf(x), __warpsim_normcdff(x))
__warpsim_both void sincospi(double x, double *s, double *c) { *s = __warpsim_sinpi(x); *c = __warpsim_cospi(x); }
__warpsim_both void sincospif(float x, float *s, float *c) { *s = __warpsim_sinpif(x); *c = __warpsim_cospif(x); }
__warpsim_both void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
__warpsim_names2(__warpsim_both, rhypot, __warpsim_rnorm(x, y, 0, 0), __warpsim_rnormf(x, y, 0, 0))
#define __warpsim_norms(name, of)                                                                  \
    __warpsim_both double name##3d(double a, double b, double c) { return __warpsim_##of(a, b, c, 0); } \
    __warpsim_both float name##3df(float a, float b, float c) { return __warpsim_##of##f(a, b, c, 0); } \
    __warpsim_both float name##3d(float a, float b, float c) { return __warpsim_##of##f(a, b, c, 0); } \
    __warpsim_both double name##4d(double a, double b, double c, double d) { return __warpsim_##of(a, b, c, d); } \
    __warpsim_both float name##4df(float a, float b, float c, float d) { return __warpsim_##of##f(a, b, c, d); } \
    __warpsim_both float name##4d(float a, float b, float c, float d) { return __warpsim_##of##f(a, b, c, d); }
__warpsim_norms(norm, norm) __warpsim_norms(rnorm, rnorm)

// The norm of n numbers, with the largest taken out.
__warpsim_both double norm(int n, const double *v) {
    double most = 0;
    for (int i = 0; i < n; i++) most = __warpsim_abs(v[i]) <= most ? most : __warpsim_abs(v[i]) < __warpsim_inf ? __warpsim_abs(v[i]) : most;
    int e = 0;
    if (most > 0) __warpsim_split(most, &e);
    __warpsim_dd s = __warpsim_pair(0, 0);
    bool infinite = false, nan = false;
    for (int i = 0; i < n; i++) {
        infinite = infinite || __warpsim_isinf(v[i]);
        nan = nan || __warpsim_isnan(v[i]);
        double w = __warpsim_isinf(v[i]) || __warpsim_isnan(v[i]) ? 0 : __warpsim_scalbn(v[i], -e);
        s = __warpsim_add2(s, __warpsim_product(w, w));
    }
    return infinite ? __warpsim_inf : nan ? __warpsim_nan : __warpsim_scalbn(__warpsim_round2(__warpsim_sqrt2(s)), e);
}
__warpsim_both double rnorm(int n, const double *v) { return 1 / norm(n, v); }
__warpsim_both float normf(int n, const float *v) {
    double s = 0;
    bool infinite = false;
    for (int i = 0; i < n; i++) {
        infinite = infinite || __warpsim_isinf(v[i]);
        s += (double)v[i] * v[i];
    }
    return infinite ? __builtin_inff() : (float)__warpsim_sqrt(s);
}
__warpsim_both float rnormf(int n, const float *v) {
    double s = 0;
    bool infinite = false;
    for (int i = 0; i < n; i++) {
        infinite = infinite || __warpsim_isinf(v[i]);
        s += (double)v[i] * v[i];
    }
    return infinite ? 0 : (float)(1 / __warpsim_sqrt(s));
}

// Classification.
#define __warpsim_classify(name, of_double, of_float)                                              \
    __warpsim_device bool name(double x) { return of_double; }                                     \
    __warpsim_device bool name(float x) { return of_float; }                                       \
    __warpsim_integer1(bool, name)
__warpsim_classify(isnan, x != x, x != x)
__warpsim_classify(isinf, __builtin_fabs(x) == __builtin_inf(), __builtin_fabsf(x) == __builtin_inff())
__warpsim_classify(isfinite, __builtin_fabs(x) < __builtin_inf(), __builtin_fabsf(x) < __builtin_inff())
__warpsim_classify(signbit, __builtin_bit_cast(long long, x) < 0, __builtin_bit_cast(int, x) < 0)
__warpsim_classify(isnormal, __warpsim_fpclassify(x) == 4, __builtin_fabsf(x) >= 0x1p-126f && __builtin_fabsf(x) < __builtin_inff())
__warpsim_device int fpclassify(double x) { return __warpsim_fpclassify(x); }
__warpsim_device int fpclassify(float x) {
    return x != 0 && __builtin_fabsf(x) < 0x1p-126f ? 3 : __warpsim_fpclassify(x);
}
#define __warpsim_compare(name, expression)                                                        \
    __warpsim_device bool name(double x, double y) { return expression; }                          \
    __warpsim_device bool name(float x, float y) { return expression; }                            \
    __warpsim_mixed2(bool, name)
__warpsim_compare(isgreater, x > y) __warpsim_compare(isgreaterequal, x >= y) __warpsim_compare(isless, x < y)
__warpsim_compare(islessequal, x <= y) __warpsim_compare(islessgreater, x < y || x > y)
__warpsim_compare(isunordered, x != x || y != y)
// The names that these have in the C library.
#define __warpsim_internal(name, of)                                                               \
    __warpsim_device int __##name(double x) { return of(x); }                                      \
    __warpsim_device int __##name##f(float x) { return of(x); }
__warpsim_internal(isnan, isnan) __warpsim_internal(isinf, isinf) __warpsim_internal(finite, isfinite) __warpsim_internal(signbit, signbit)
#undef __warpsim_internal
__warpsim_device double nan(const char *) { return __builtin_nan(""); }
__warpsim_device float nanf(const char *) { return __builtin_nanf(""); }

// The same under std. Where libstdc++ is included later it adds its own, for the host.
namespace std {
using ::abs; using ::labs; using ::llabs;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit; using ::isnormal; using ::fpclassify;
using ::isgreater; using ::isgreaterequal; using ::isless; using ::islessequal; using ::islessgreater; using ::isunordered;
using ::nan; using ::nanf;
#define __warpsim_std(name) using ::name; using ::name##f;
__warpsim_std(fabs) __warpsim_std(floor) __warpsim_std(ceil) __warpsim_std(trunc) __warpsim_std(rint)
__warpsim_std(nearbyint) __warpsim_std(sqrt) __warpsim_std(round) __warpsim_std(lrint) __warpsim_std(llrint)
__warpsim_std(lround) __warpsim_std(llround) __warpsim_std(fmin) __warpsim_std(fmax) __warpsim_std(copysign)
__warpsim_std(fdim) __warpsim_std(fma) __warpsim_std(fmod) __warpsim_std(remquo) __warpsim_std(remainder)
__warpsim_std(nextafter) __warpsim_std(modf) __warpsim_std(frexp) __warpsim_std(ldexp) __warpsim_std(scalbn)
__warpsim_std(scalbln) __warpsim_std(logb) __warpsim_std(ilogb) __warpsim_std(exp) __warpsim_std(exp2)
__warpsim_std(expm1) __warpsim_std(log) __warpsim_std(log2) __warpsim_std(log10) __warpsim_std(log1p)
__warpsim_std(cbrt) __warpsim_std(pow) __warpsim_std(hypot) __warpsim_std(sin) __warpsim_std(cos) __warpsim_std(tan)
__warpsim_std(asin) __warpsim_std(acos) __warpsim_std(atan) __warpsim_std(sinh) __warpsim_std(cosh)
__warpsim_std(tanh) __warpsim_std(asinh) __warpsim_std(acosh) __warpsim_std(atanh) __warpsim_std(atan2)
__warpsim_std(erf) __warpsim_std(erfc) __warpsim_std(tgamma) __warpsim_std(lgamma)
#undef __warpsim_std
}
