// The special functions of CUDA's math API for double: erf, erfc, erfcx, normcdf, tgamma, lgamma.
//
// Document: the CUDA C++ Programming Guide's table of double-precision errors (erf 2 ulp, erfc 5, erfcx 4, normcdf 5,
// tgamma 10, lgamma 4 outside its zeros between -23 and -2.26). Not here: the inverses (math_inverse.h); missing: Bessel functions.
#pragma once
#pragma GCC system_header
#include "math_double.h"

// Error functions.
//
// |x| < 1/2 (erf: < 1): a polynomial. Above: erfcx(x) = exp(x^2) erfc(x) = P((x - 4) / (x + 4)) / (1 + 2 x).
#define __warpsim_two_over_sqrt_pi __warpsim_pair(0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56)

__warpsim_both __warpsim_dd __warpsim_erf_small(__warpsim_dd x) {
    constexpr double c[] = {-0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,  -0x1.b82ce31288b51p-6,  0x1.565bcd0e6a53dp-8,
                            -0x1.c02db40040a69p-11, 0x1.f9a326f9b36c8p-14, -0x1.f4d25c3d100bfp-17, 0x1.b9e6c9bb863f1p-20,
                            -0x1.5f742bbc76a3fp-23, 0x1.fcc50b31dd2a7p-27, -0x1.51d22be7806b2p-30, 0x1.9e1449da0ae6cp-34,
                            -0x1.d4191d868eb37p-38, 0x1.d3e88f2272e8fp-42, -0x1.440e04110e0a5p-46};
    double z = __warpsim_mul(x.hi, x.hi);
    __warpsim_dd p = __warpsim_mul1(__warpsim_two_over_sqrt_pi, x.hi);
    double t = __warpsim_mul(__warpsim_mul(x.hi, z), __warpsim_polynomial(z, c));
    // The derivative, roughly, times the low part.
    double low = x.lo * 1.1283791670955126 * (1 - z + 0.5 * z * z);
    return __warpsim_fast_sum(p.hi, __warpsim_add(p.lo, __warpsim_add(t, low)));
}
// P for x >= 1/2.
__warpsim_both double __warpsim_erfcx_polynomial(double x) {
    constexpr double c[] = {0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd7c4p-7,   0x1.16ecefcfa5374p-4,
                            -0x1.9ddb23c3e9167p-4,  0x1.7fee004e12a72p-4,   -0x1.0fb06dfe47ce4p-4,  0x1.3079edf6767aap-5,
                            -0x1.09623885859d5p-6,  0x1.49c6728a3b6aep-8,   -0x1.8d4a99482dcb0p-11, -0x1.a1df28c6310abp-13,
                            0x1.3be02c3ab078cp-13,  -0x1.9958d30c232f6p-16, -0x1.787ffa3afff14p-17, 0x1.7f23de839c8e0p-18,
                            0x1.37e121643fb0fp-22,  -0x1.bacf9f7d41192p-21, 0x1.5608f1e4f0d52p-24,  0x1.d7106eddb2541p-24,
                            -0x1.83ddff21d632bp-26, -0x1.e4549cec3c747p-27, 0x1.25af34260c84bp-28,  0x1.6fb3ff548e394p-30,
                            -0x1.26e7939623b09p-31};
    return __warpsim_polynomial((x - 4) / (x + 4), c);
}
// erfc(x) for 1/2 <= x < 28, as v * 2^k.
__warpsim_both __warpsim_dd __warpsim_erfc_large(__warpsim_dd x, int *k) {
    __warpsim_dd e = __warpsim_exp2dd(__warpsim_negate(__warpsim_mul2(x, x)), k);
    __warpsim_dd below = __warpsim_add1(__warpsim_pair(2 * x.hi, 2 * x.lo), 1);
    return __warpsim_div2(__warpsim_mul1(e, __warpsim_erfcx_polynomial(x.hi)), below);
}
__warpsim_both double __warpsim_erf(double x) {
    double a = __warpsim_abs(x), r;
    if (__warpsim_isnan(x)) return x;
    if (a < 0x1p-500) {
        r = __warpsim_round2(__warpsim_mul1(__warpsim_two_over_sqrt_pi, a * 0x1p200)) * 0x1p-200;
    } else if (a < 1) {
        r = __warpsim_round2(__warpsim_erf_small(__warpsim_pair(a, 0)));
    } else if (a < 6) {
        int k;
        __warpsim_dd e = __warpsim_erfc_large(__warpsim_pair(a, 0), &k);
        r = __warpsim_sub(1, __warpsim_round2(e) * __warpsim_power2(k));
    } else {
        r = 1;
    }
    return __warpsim_copysign(r, x);
}
// erfc(x) * factor, a power of two.
__warpsim_both double __warpsim_erfc_of(__warpsim_dd x, int factor) {
    if (__warpsim_isnan(x.hi)) return x.hi;
    int k = 0;
    __warpsim_dd r;
    if (x.hi > 28) return 0;
    if (x.hi < -6) return __warpsim_power2(1 + factor);
    if (__warpsim_abs(x.hi) < 0.5) {
        r = __warpsim_add1(__warpsim_negate(__warpsim_erf_small(x)), 1);
    } else if (x.hi > 0) {
        r = __warpsim_erfc_large(x, &k);
    } else {
        r = __warpsim_erfc_large(__warpsim_negate(x), &k);
        r = __warpsim_add1(__warpsim_negate(__warpsim_times_power2(r, k)), 2);
        k = 0;
    }
    return __warpsim_scale(__warpsim_round2(r), k + factor);
}
__warpsim_both double __warpsim_erfc(double x) { return __warpsim_erfc_of(__warpsim_pair(x, 0), 0); }
__warpsim_both double __warpsim_normcdf(double x) {
    if (__warpsim_abs(x) > 50) return x > 0 ? 1 : 0;
    __warpsim_dd z = __warpsim_mul1(__warpsim_pair(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55), -x);
    return __warpsim_erfc_of(z, -1);
}
__warpsim_both double __warpsim_erfcx(double x) {
    if (__warpsim_isnan(x)) return x;
    if (x == __warpsim_inf) return 0;
    if (x >= 0.5) return 0.5 * __warpsim_erfcx_polynomial(x) / (0.5 + x);
    if (x < -27) return __warpsim_inf;
    int k;
    __warpsim_dd e = __warpsim_exp2dd(__warpsim_product(x, x), &k);
    if (x > -0.5) {
        __warpsim_dd c = __warpsim_add1(__warpsim_negate(__warpsim_erf_small(__warpsim_pair(x, 0))), 1);
        return __warpsim_scale(__warpsim_round2(__warpsim_mul2(e, c)), k);
    }
    double rest = x < -8 ? 0 : 0.5 * __warpsim_erfcx_polynomial(-x) / (0.5 - x);
    __warpsim_dd s = __warpsim_add1(e, -0.5 * rest * __warpsim_power2(-k));
    return __warpsim_scale(__warpsim_round2(s), k + 1);
}

// The gamma function, and its logarithm.
//
// From 12 on Stirling's series, with all but its last terms in double-double; below, the recurrence; for negative
// arguments the reflection. Near its zeros 1 and 2 the logarithm is a polynomial.

// log(gamma(x)) for x >= 12, to 2^-59 absolutely.
__warpsim_both __warpsim_dd __warpsim_stirling(__warpsim_dd x) {
    constexpr double c[] = {0x1.5555555555555p-4,  -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
                            0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6,
                            0x1.6fe96381e0680p-3,  -0x1.6476701181f3ap+0, 0x1.ace44322ce006p+3,  -0x1.39b2525cccc1bp+7};
    double y = 1 / x.hi;
    double tail = y * __warpsim_polynomial(y * y, c);
    __warpsim_dd r = __warpsim_mul2(__warpsim_add1(x, -0.5), __warpsim_log_of(x));
    r = __warpsim_sub2(r, x);
    __warpsim_dd rest = __warpsim_add1(__warpsim_pair(0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55), tail);
    return __warpsim_add2(r, rest);
}
// x (x + 1) ... up to 12, and that sum, for 2^-60 < x.
__warpsim_both __warpsim_dd __warpsim_rising(double x, __warpsim_dd *end) {
    __warpsim_dd p = __warpsim_pair(1, 0), v = __warpsim_pair(x, 0);
    for (int i = 1; v.hi < 12; i++) {
        p = __warpsim_mul2(p, v);
        v = __warpsim_sum(x, i);
    }
    *end = v;
    return p;
}
// gamma(x) as v * 2^k, for 2^-60 < x < 190.
__warpsim_both __warpsim_dd __warpsim_gamma_positive(double x, int *k) {
    __warpsim_dd end;
    __warpsim_dd p = __warpsim_rising(x, &end);
    return __warpsim_div2(__warpsim_exp2dd(__warpsim_stirling(end), k), p);
}
// sin(pi a) for a > 0 that is not an integer.
__warpsim_both __warpsim_dd __warpsim_sinpi_positive(double a) {
    int q;
    __warpsim_dd r = __warpsim_reduce_pi(a, &q);
    return __warpsim_sin_quadrant(r, q);
}
__warpsim_both double __warpsim_tgamma(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x)) return x;
    if (a < 0x1p-60) return 1 / x;
    int k;
    if (x > 0) {
        if (x > 172) return __warpsim_inf;
        __warpsim_dd v = __warpsim_gamma_positive(x, &k);
        return __warpsim_scale(__warpsim_round2(v), k);
    }
    if (a == __warpsim_inf || __warpsim_floor(a) == a) return __warpsim_nan;
    if (a > 188) return __warpsim_parity(__warpsim_floor(a)) == 1 ? 0.0 : -0.0;
    __warpsim_dd v = __warpsim_mul2(__warpsim_mul1(__warpsim_gamma_positive(a, &k), a), __warpsim_sinpi_positive(a));
    return __warpsim_scale(-__warpsim_round2(__warpsim_div2(__warpsim_pi, v)), -k);
}
// log(gamma(x)) for x > 2^-60.
__warpsim_both __warpsim_dd __warpsim_lgamma_positive(double x) {
    constexpr double one[] = {-0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1,  -0x1.9a4d55beab2d7p-2, 0x1.151322ac7d848p-2,
                              -0x1.a8b9c17aa61dap-3, 0x1.5b40cb100c391p-3,  -0x1.2703a1dce1668p-3, 0x1.010b36af7dc0fp-3,
                              -0x1.c806707624562p-4, 0x1.9a01e38e46e0fp-4,  -0x1.748c3083b0309p-4, 0x1.556ad3bf3ca1ep-4,
                              -0x1.3b1e0d1561205p-4, 0x1.249750abe7276p-4,  -0x1.11059507b81bdp-4, 0x1.ffe7ddfb0d0f4p-5,
                              -0x1.e3e522f6fc1cdp-5, 0x1.c90a3a81ffd02p-5,  -0x1.97e3d8db08ae1p-5, 0x1.83485906354fep-5,
                              -0x1.0cf150d8e136bp-4, 0x1.010b26f354ad1p-4};
    constexpr double two[] = {0x1.b0ee6072093cep-2,  0x1.4a34cc4a60fa6p-2,  -0x1.13e001a557607p-4,  0x1.51322ac7d8484p-6,
                              -0x1.e404fc218eb7cp-8, 0x1.7add6eadb624fp-9,  -0x1.38ac5c2d47272p-10, 0x1.0b36af8775222p-11,
                              -0x1.d3fd49e7660f4p-13, 0x1.a127ae867d9c7p-14, -0x1.78dfb85bcd00ep-15, 0x1.580f180a63871p-16,
                              -0x1.3c5628566d6f4p-17, 0x1.2536e846d22d2p-18, -0x1.214963e43c4afp-19, 0x1.0f1d1040aef59p-20};
    double z = __warpsim_sub(x, 1);
    if (__warpsim_abs(z) < 0.25) return __warpsim_product(z, __warpsim_polynomial(z, one));
    z = __warpsim_sub(x, 2);
    if (__warpsim_abs(z) < 0.25) return __warpsim_product(z, __warpsim_polynomial(z, two));
    if (x > 0x1p1000) return __warpsim_pair(__warpsim_mul(x, __warpsim_log(x) - 1), 0);
    __warpsim_dd end;
    __warpsim_dd p = __warpsim_rising(x, &end);
    __warpsim_dd r = __warpsim_stirling(end);
    return x < 12 ? __warpsim_sub2(r, __warpsim_log_of(p)) : r;
}
__warpsim_both double __warpsim_lgamma(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x)) return x;
    if (a == __warpsim_inf || a == 0) return __warpsim_inf;
    if (a < 0x1p-60) return -__warpsim_log(a);
    if (x > 0) return __warpsim_round2(__warpsim_lgamma_positive(x));
    if (__warpsim_floor(a) == a) return __warpsim_inf;
    // log(pi / (a |sin(pi a)|)) - log(gamma(a))
    __warpsim_dd s = __warpsim_mul1(__warpsim_sinpi_positive(a), a);
    if (s.hi < 0) s = __warpsim_negate(s);
    __warpsim_dd l = __warpsim_log_of(__warpsim_div2(__warpsim_pi, s));
    return __warpsim_round2(__warpsim_sub2(l, __warpsim_lgamma_positive(a)));
}
