// The inverses of the error functions and of the normal distribution, for double.
//
// Document: the CUDA C++ Programming Guide's table of double-precision errors (erfinv 5 ulp, erfcinv 6, normcdfinv 8).
// Method: a first value (a series, or Abramowitz and Stegun 26.2.23), then Newton's method with the functions themselves.
#pragma once
#pragma GCC system_header
#include "math_special.h"

// erfinv for |z| <= 1/2.
__warpsim_both double __warpsim_erfinv_small(double z) {
    if (__warpsim_abs(z) < 0x1p-30)
        return __warpsim_scalbn(__warpsim_round2(__warpsim_mul1(
            __warpsim_pair(0x1.c5bf891b4ef6bp-1, -0x1.618f13eb7ca89p-55), __warpsim_scalbn(z, 200))), -200);
    double q = z * z;
    double x = z * (0.886226925452758 + q * (0.232013666534654 + q * (0.127556175305598 + q * (0.0865521292415475 + q * 0.0649596177453854))));
    for (int i = 0; i < 2; i++) {
        __warpsim_dd e = __warpsim_erf_small(__warpsim_pair(x, 0));
        double f = __warpsim_add(__warpsim_sub(e.hi, z), e.lo) * 0.886226925452758 * __warpsim_exp(x * x);
        x = __warpsim_sub(x, f / (1 + x * f));
    }
    return x;
}
// The x > 0 with erfc(x) = y, for 0 < y <= 1/2.
__warpsim_both double __warpsim_erfcinv_tail(double y) {
    int ey, k;
    double my = __warpsim_split(y, &ey);
    double t = __warpsim_sqrt(-2 * (__warpsim_log(y) - 0.6931471805599453));
    double x = 0.7071067811865476 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 3; i++) {
        __warpsim_dd e = __warpsim_exp2dd(__warpsim_negate(__warpsim_product(x, x)), &k);
        double erfcx = __warpsim_erfcx(x);
        // erfc(x) / y - 1, and the logarithm of the quotient
        double r = __warpsim_add(__warpsim_round2(__warpsim_mul1(e, erfcx / my)) * __warpsim_power2(k - ey), -1);
        double f = r * (1 + r * (-0.5 + r * (1.0 / 3)));
        x = __warpsim_fma(f * erfcx, 0.886226925452758, x);
    }
    return x;
}
__warpsim_both double __warpsim_erfcinv(double y) {
    if (!(y >= 0 && y <= 2)) return __warpsim_isnan(y) ? y : __warpsim_nan;
    if (y == 0) return __warpsim_inf;
    if (y == 2) return -__warpsim_inf;
    if (y < 0.5) return __warpsim_erfcinv_tail(y);
    if (y > 1.5) return -__warpsim_erfcinv_tail(__warpsim_sub(2, y));
    return __warpsim_erfinv_small(__warpsim_sub(1, y));
}
__warpsim_both double __warpsim_erfinv(double z) {
    double a = __warpsim_abs(z);
    if (__warpsim_isnan(z) || z == 0) return z;
    if (a > 1) return __warpsim_nan;
    if (a <= 0.5) return __warpsim_erfinv_small(z);
    return __warpsim_copysign(a == 1 ? __warpsim_inf : __warpsim_erfcinv_tail(__warpsim_sub(1, a)), z);
}
__warpsim_both double __warpsim_normcdfinv(double p) {
    double x = __warpsim_erfcinv(2 * p);
    if (!(__warpsim_abs(x) < __warpsim_inf)) return -x;
    // 0 for 1/2, without a sign
    return __warpsim_add(0, -__warpsim_round2(__warpsim_mul1(__warpsim_pair(0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54), x)));
}
