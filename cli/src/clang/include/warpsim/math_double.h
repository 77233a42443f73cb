// The math functions of double: exponentials, logarithms, powers, roots, circular and hyperbolic functions.
//
// Document: the CUDA math API, and the CUDA C++ Programming Guide's table of double-precision errors (1 ulp for most, 2 for
// the circular functions, the hyperbolic ones and pow). Method: reduction, a polynomial, and the last steps in
// double-double, so that the errors are little over half an ulp (measured: 0.8 at most). Special values are those of C's
// Annex F.
#pragma once
#pragma GCC system_header
#include "math_reduction.h"

// e^r - 1 for |r.hi| <= 0.3467, good to 2^-60 * |r|.
__warpsim_both __warpsim_dd __warpsim_expm1_kernel(__warpsim_dd r) {
    constexpr double c[] = {0x1.5555555555556p-3,  0x1.5555555555555p-5,  0x1.11111111109afp-7,  0x1.6c16c16c167dfp-10,
                            0x1.a01a01a7c73c0p-13, 0x1.a01a01a47ccd9p-16, 0x1.71de0da24602dp-19, 0x1.27e4e1ed9933ep-22,
                            0x1.af38c67fbb53ep-26, 0x1.1f66eff4fc984p-29};
    double z = __warpsim_mul(r.hi, r.hi);
    __warpsim_dd h = __warpsim_product(r.hi, 0.5 * r.hi);
    double t = __warpsim_fma(__warpsim_mul(r.hi, z), __warpsim_polynomial(r.hi, c), __warpsim_fma(r.hi, r.lo, r.lo));
    __warpsim_dd s = __warpsim_fast_sum(r.hi, h.hi);
    return __warpsim_fast_sum(s.hi, __warpsim_add(s.lo, __warpsim_add(h.lo, t)));
}

// x - k ln 2, and k. |x| < 1100.
__warpsim_both __warpsim_dd __warpsim_exp_reduce(__warpsim_dd x, int *k) {
    double n = __warpsim_rint(__warpsim_mul(x.hi, 0x1.71547652b82fep+0));
    *k = (int)n;
    double hi = __warpsim_fma(-n, 0x1.62e42fefa39efp-1, x.hi);
    return __warpsim_sum(hi, __warpsim_fma(-n, 0x1.abc9e3b39803fp-56, x.lo));
}

// e^x as v * 2^k, v from 0.7 to 1.42. |x| < 1100.
__warpsim_both __warpsim_dd __warpsim_exp2dd(__warpsim_dd x, int *k) {
    __warpsim_dd e = __warpsim_expm1_kernel(__warpsim_exp_reduce(x, k));
    __warpsim_dd s = __warpsim_fast_sum(1, e.hi);
    return __warpsim_fast_sum(s.hi, __warpsim_add(s.lo, e.lo));
}
__warpsim_both double __warpsim_exp_of(__warpsim_dd x) {
    if (__warpsim_isnan(x.hi)) return x.hi;
    if (x.hi > 710) return __warpsim_inf;
    if (x.hi < -746) return 0;
    int k;
    __warpsim_dd e = __warpsim_exp2dd(x, &k);
    return __warpsim_scale(__warpsim_round2(e), k);
}
// e^x - 1 as a double-double, for |x| < 700.
__warpsim_both __warpsim_dd __warpsim_expm1_of(__warpsim_dd x) {
    int k;
    __warpsim_dd e = __warpsim_expm1_kernel(__warpsim_exp_reduce(x, &k));
    if (k == 0) return e;
    double f = __warpsim_power2(k);
    __warpsim_dd s = __warpsim_sum(f, -1);
    return __warpsim_add2(s, __warpsim_pair(e.hi * f, e.lo * f));
}

__warpsim_both double __warpsim_exp(double x) { return __warpsim_exp_of(__warpsim_pair(x, 0)); }
__warpsim_both double __warpsim_exp2(double x) {
    if (__warpsim_isnan(x)) return x;
    if (x >= 1024) return __warpsim_inf;
    if (x < -1076) return 0;
    double n = __warpsim_rint(x);
    __warpsim_dd e = __warpsim_expm1_kernel(__warpsim_mul1(__warpsim_ln2, __warpsim_sub(x, n)));
    __warpsim_dd s = __warpsim_fast_sum(1, e.hi);
    return __warpsim_scale(__warpsim_add(s.hi, __warpsim_add(s.lo, e.lo)), (int)n);
}
__warpsim_both double __warpsim_exp10(double x) {
    if (__warpsim_isnan(x)) return x;
    if (x > 309) return __warpsim_inf;
    if (x < -324) return 0;
    double n = __warpsim_rint(__warpsim_mul(x, 0x1.a934f0979a371p+1));
    double hi = __warpsim_fma(-n, 0x1.34413509f79ffp-2, x);
    __warpsim_dd r = __warpsim_sum(hi, __warpsim_mul(n, 0x1.9dc1da994fd21p-59));
    __warpsim_dd e = __warpsim_expm1_kernel(__warpsim_mul2(r, __warpsim_ln10));
    __warpsim_dd s = __warpsim_fast_sum(1, e.hi);
    return __warpsim_scale(__warpsim_add(s.hi, __warpsim_add(s.lo, e.lo)), (int)n);
}
__warpsim_both double __warpsim_expm1(double x) {
    if (__warpsim_isnan(x) || __warpsim_abs(x) < 0x1p-54) return x;
    if (x > 690) return __warpsim_exp(x);
    if (x < -40) return -1;
    return __warpsim_round2(__warpsim_expm1_of(__warpsim_pair(x, 0)));
}

// log(m) for m from sqrt(1/2) to sqrt(2), good to 2^-64 of itself: 2 atanh((m - 1) / (m + 1)).
__warpsim_both __warpsim_dd __warpsim_log_kernel(__warpsim_dd m) {
    constexpr double c[] = {0x1.999999999999ap-3, 0x1.2492492492492p-3, 0x1.c71c71c71c705p-4, 0x1.745d1745d3f32p-4,
                            0x1.3b13b138ee205p-4, 0x1.111112205c9b4p-4, 0x1.e1e13f14a2b01p-5, 0x1.af46927e517b2p-5,
                            0x1.82bd1267b9795p-5, 0x1.9871e3a35ad5fp-5};
    __warpsim_dd above = __warpsim_sum(__warpsim_sub(m.hi, 1), m.lo);
    __warpsim_dd below = __warpsim_add1(m, 1);
    __warpsim_dd s = __warpsim_div2(above, below);
    __warpsim_dd z = __warpsim_mul2(s, s);
    double t = __warpsim_mul(z.hi, __warpsim_polynomial(z.hi, c));
    __warpsim_dd p = __warpsim_add1(__warpsim_pair(0x1.5555555555555p-2, 0x1.5555555555555p-56), t);
    p = __warpsim_mul2(__warpsim_mul2(p, z), s);
    p = __warpsim_add2(s, p);
    return __warpsim_pair(2 * p.hi, 2 * p.lo);
}

// m * 2^e with m from sqrt(1/2) to sqrt(2), for a finite x > 0.
__warpsim_both __warpsim_dd __warpsim_log_reduce(__warpsim_dd x, int *e) {
    double m = __warpsim_split(x.hi, e);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        *e += 1;
    }
    return __warpsim_pair(m, x.lo == 0 ? 0 : __warpsim_scalbn(x.lo, -*e));
}
__warpsim_both __warpsim_dd __warpsim_log_of(__warpsim_dd x) {
    int e;
    __warpsim_dd p = __warpsim_log_kernel(__warpsim_log_reduce(x, &e));
    return e == 0 ? p : __warpsim_add2(__warpsim_mul1(__warpsim_ln2, e), p);
}
// log(1 + x) for a double-double x > -1.
__warpsim_both __warpsim_dd __warpsim_log1p_of(__warpsim_dd x) {
    __warpsim_dd u = __warpsim_sum(1, x.hi);
    return __warpsim_log_of(__warpsim_fast_sum(u.hi, __warpsim_add(u.lo, x.lo)));
}
// NaN, and the values of a logarithm at 0, below, and at infinity. True: `r` is the result.
__warpsim_both bool __warpsim_log_special(double x, double *r) {
    if (x > 0 && x < __warpsim_inf) return false;
    *r = x == 0 ? -__warpsim_inf : x > 0 || __warpsim_isnan(x) ? x : __warpsim_nan;
    return true;
}
__warpsim_both double __warpsim_log(double x) {
    double r;
    if (__warpsim_log_special(x, &r)) return r;
    return __warpsim_round2(__warpsim_log_of(__warpsim_pair(x, 0)));
}
__warpsim_both double __warpsim_log10(double x) {
    double r;
    if (__warpsim_log_special(x, &r)) return r;
    return __warpsim_round2(__warpsim_mul2(__warpsim_log_of(__warpsim_pair(x, 0)), __warpsim_log10e));
}
__warpsim_both double __warpsim_log2(double x) {
    double r;
    if (__warpsim_log_special(x, &r)) return r;
    int e;
    __warpsim_dd p = __warpsim_mul2(__warpsim_log_kernel(__warpsim_log_reduce(__warpsim_pair(x, 0), &e)), __warpsim_log2e);
    return __warpsim_round2(__warpsim_add2(__warpsim_pair(e, 0), p));
}
__warpsim_both double __warpsim_log1p(double x) {
    if (__warpsim_abs(x) < 0x1p-54) return x;
    double r;
    if (__warpsim_log_special(__warpsim_add(1, x), &r)) return r;
    return __warpsim_round2(__warpsim_log1p_of(__warpsim_pair(x, 0)));
}

// 0: not an integer, 1: odd, 2: even.
__warpsim_both int __warpsim_parity(double y) {
    double a = __warpsim_abs(y);
    if (a >= 0x1p53) return 2;
    if (__warpsim_floor(a) != a) return 0;
    return (long long)a & 1 ? 1 : 2;
}
// The special cases of pow. True: `r` is the result.
__warpsim_both bool __warpsim_pow_special(double x, double y, double *r) {
    double a = __warpsim_abs(x);
    if (y == 0 || x == 1)
        *r = 1;
    else if (__warpsim_isnan(x) || __warpsim_isnan(y))
        *r = x + y;
    else if (__warpsim_isinf(y))
        *r = a == 1 ? 1 : (a > 1) == (y > 0) ? __warpsim_inf : 0;
    else if (a == 0 || a == __warpsim_inf)
        *r = __warpsim_copysign((a == 0) == (y > 0) ? 0 : __warpsim_inf, __warpsim_parity(y) == 1 ? x : 1);
    else if (x < 0 && __warpsim_parity(y) == 0)
        *r = __warpsim_nan;
    else
        return false;
    return true;
}
__warpsim_both double __warpsim_pow(double x, double y) {
    double r;
    if (__warpsim_pow_special(x, y, &r)) return r;
    __warpsim_dd l = __warpsim_log_of(__warpsim_pair(__warpsim_abs(x), 0));
    double p = __warpsim_mul(l.hi, y);
    if (p > 1000)
        r = __warpsim_inf;
    else if (p < -1000)
        r = 0;
    else
        r = __warpsim_exp_of(__warpsim_mul1(l, y));
    return x < 0 && __warpsim_parity(y) == 1 ? -r : r;
}

// Roots.
__warpsim_both double __warpsim_rsqrt(double x) {
    if (x == 0) return __warpsim_copysign(__warpsim_inf, x);
    if (x == __warpsim_inf) return 0;
    if (!(x > 0)) return __warpsim_isnan(x) ? x : __warpsim_nan;
    int e;
    double m = __warpsim_split(x, &e);
    if (e & 1) m *= 2;
    __warpsim_dd r = __warpsim_div2(__warpsim_pair(1, 0), __warpsim_sqrt2(__warpsim_pair(m, 0)));
    return __warpsim_round2(r) * __warpsim_power2(-((e - (e & 1)) / 2));
}
// The cube root of |x| as v * 2^k, for a finite x != 0.
__warpsim_both __warpsim_dd __warpsim_cbrt_of(double x, int *k) {
    int e;
    double m = __warpsim_split(x, &e);
    int third = (e + 3000) / 3 - 1000, rest = e - 3 * third;
    *k = third;
    m *= (double)(1 << rest);
    double y = __warpsim_fma(m, 0.14, 0.92);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        double y3 = y * y * y;
        y = y * ((y3 + 2 * m) / (2 * y3 + m));
    }
    __warpsim_dd y3 = __warpsim_mul1(__warpsim_product(y, y), y);
    double left = __warpsim_sub(__warpsim_sub(m, y3.hi), y3.lo);
    return __warpsim_fast_sum(y, left / (3 * y * y));
}
__warpsim_both double __warpsim_cbrt(double x) {
    if (x == 0 || !(__warpsim_abs(x) < __warpsim_inf)) return x;
    int k;
    __warpsim_dd r = __warpsim_cbrt_of(x, &k);
    return __warpsim_copysign(__warpsim_round2(r) * __warpsim_power2(k), x);
}
__warpsim_both double __warpsim_rcbrt(double x) {
    if (x == 0) return __warpsim_copysign(__warpsim_inf, x);
    if (!(__warpsim_abs(x) < __warpsim_inf)) return 1 / x;
    int k;
    __warpsim_dd r = __warpsim_div2(__warpsim_pair(1, 0), __warpsim_cbrt_of(x, &k));
    return __warpsim_copysign(__warpsim_round2(r) * __warpsim_power2(-k), x);
}
// sqrt(a^2 + b^2 + c^2 + d^2) as v * 2^k; `special` where v is the result.
__warpsim_both __warpsim_dd __warpsim_norm_of(double a, double b, double c, double d, int *k, bool *special) {
    double v[4] = {__warpsim_abs(a), __warpsim_abs(b), __warpsim_abs(c), __warpsim_abs(d)};
    double most = 0;
    bool nan = false;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        most = v[i] > most ? v[i] : most;
        nan = nan || __warpsim_isnan(v[i]);
    }
    *special = nan || most == 0 || most == __warpsim_inf;
    *k = 0;
    if (*special) return __warpsim_pair(most == __warpsim_inf ? most : nan ? __warpsim_nan : 0, 0);
    __warpsim_split(most, k);
    __warpsim_dd s = __warpsim_pair(0, 0);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        double w = __warpsim_scalbn(v[i], -*k);
        s = __warpsim_add2(s, __warpsim_product(w, w));
    }
    return __warpsim_sqrt2(s);
}
__warpsim_both double __warpsim_norm(double a, double b, double c, double d) {
    int k;
    bool special;
    __warpsim_dd r = __warpsim_norm_of(a, b, c, d, &k, &special);
    return special ? r.hi : __warpsim_scale(__warpsim_round2(r), k);
}
__warpsim_both double __warpsim_rnorm(double a, double b, double c, double d) {
    int k;
    bool special;
    __warpsim_dd r = __warpsim_norm_of(a, b, c, d, &k, &special);
    if (special) return 1 / r.hi;
    return __warpsim_scale(__warpsim_round2(__warpsim_div2(__warpsim_pair(1, 0), r)), -k);
}

// Circular functions.
__warpsim_both double __warpsim_sin(double x) {
    if (!(__warpsim_abs(x) < __warpsim_inf)) return x - x;
    if (__warpsim_abs(x) < 0x1p-27) return x;
    int q;
    __warpsim_dd r = __warpsim_reduce(x, &q);
    return __warpsim_round2(__warpsim_sin_quadrant(r, q));
}
__warpsim_both double __warpsim_cos(double x) {
    if (!(__warpsim_abs(x) < __warpsim_inf)) return x - x;
    int q;
    __warpsim_dd r = __warpsim_reduce(x, &q);
    return __warpsim_round2(__warpsim_sin_quadrant(r, q + 1));
}
__warpsim_both void __warpsim_sincos(double x, double *s, double *c) {
    if (!(__warpsim_abs(x) < __warpsim_inf)) {
        *s = *c = x - x;
        return;
    }
    int q;
    __warpsim_dd r = __warpsim_reduce(x, &q);
    double a = __warpsim_round2(__warpsim_sin_kernel(r)), b = __warpsim_round2(__warpsim_cos_kernel(r));
    double u = q & 1 ? b : a, v = q & 1 ? a : b;
    *s = __warpsim_abs(x) < 0x1p-27 ? x : q & 2 ? -u : u;
    *c = (q + 1) & 2 ? -v : v;
}
__warpsim_both double __warpsim_tan(double x) {
    if (!(__warpsim_abs(x) < __warpsim_inf)) return x - x;
    if (__warpsim_abs(x) < 0x1p-27) return x;
    int q;
    __warpsim_dd r = __warpsim_reduce(x, &q);
    __warpsim_dd s = __warpsim_sin_kernel(r), c = __warpsim_cos_kernel(r);
    return q & 1 ? -__warpsim_round2(__warpsim_div2(c, s)) : __warpsim_round2(__warpsim_div2(s, c));
}
__warpsim_both double __warpsim_sinpi(double x) {
    double a = __warpsim_abs(x);
    if (!(a < __warpsim_inf)) return x - x;
    if (__warpsim_floor(a) == a) return __warpsim_copysign(0, x);
    if (a < 0x1p-27) return __warpsim_scale(__warpsim_round2(__warpsim_mul1(__warpsim_pi, x * 0x1p54)), -54);
    int q;
    __warpsim_dd r = __warpsim_reduce_pi(x, &q);
    return __warpsim_round2(__warpsim_sin_quadrant(r, q));
}
__warpsim_both double __warpsim_cospi(double x) {
    double a = __warpsim_abs(x);
    if (!(a < __warpsim_inf)) return x - x;
    if (a >= 0x1p53) return 1;
    int q;
    __warpsim_dd r = __warpsim_reduce_pi(a, &q);
    return __warpsim_add(0, __warpsim_round2(__warpsim_sin_quadrant(r, q + 1)));
}

// atan(i / 8) for i from 0 to 8.
__warpsim_both __warpsim_dd __warpsim_atan_eighths(int i) {
    constexpr double hi[] = {0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2,
                             0x1.1e00babdefeb4p-1, 0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1};
    constexpr double lo[] = {0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57, -0x1.c63aae6f6e918p-56,
                             0x1.a2b7f222f65e2p-56, -0x1.928df287a668fp-58, 0x1.2419a87f2a458p-56,
                             -0x1.8c34d25aadef6p-56, 0x1.1a62633145c07p-55};
    return __warpsim_pair(hi[i], lo[i]);
}
// atan(y / x) for 0 <= y <= x, both of moderate magnitude (nothing underflows).
__warpsim_both __warpsim_dd __warpsim_atan_kernel(__warpsim_dd y, __warpsim_dd x) {
    constexpr double c[] = {-0x1.5555555555555p-2, 0x1.999999999999ap-3, -0x1.249249249231fp-3, 0x1.c71c71c607143p-4,
                            -0x1.745d142f9df9dp-4, 0x1.3b0f2cfd54b58p-4, -0x1.0dc912fd11d09p-4};
    double eighths = __warpsim_rint(8 * (y.hi / x.hi));
    double step = 0.125 * eighths;
    __warpsim_dd u = __warpsim_div2(__warpsim_sub2(y, __warpsim_mul1(x, step)), __warpsim_add2(x, __warpsim_mul1(y, step)));
    double z = __warpsim_mul(u.hi, u.hi);
    double t = __warpsim_mul(__warpsim_mul(u.hi, z), __warpsim_polynomial(z, c));
    u = __warpsim_fast_sum(u.hi, __warpsim_add(u.lo, t));
    return eighths == 0 ? u : __warpsim_add2(__warpsim_atan_eighths((int)eighths), u);
}
// The angle of (x, y), both >= 0.
__warpsim_both __warpsim_dd __warpsim_angle(__warpsim_dd y, __warpsim_dd x) {
    if (y.hi <= x.hi) return __warpsim_atan_kernel(y, x);
    return __warpsim_sub2(__warpsim_half_pi, __warpsim_atan_kernel(x, y));
}
__warpsim_both double __warpsim_atan(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x) || a < 0x1p-27) return x;
    if (a > 0x1p60) return __warpsim_copysign(0x1.921fb54442d18p+0, x);
    return __warpsim_copysign(__warpsim_round2(__warpsim_angle(__warpsim_pair(a, 0), __warpsim_pair(1, 0))), x);
}
__warpsim_both double __warpsim_atan2(double y, double x) {
    if (__warpsim_isnan(x) || __warpsim_isnan(y)) return x + y;
    double a = __warpsim_abs(x), b = __warpsim_abs(y);
    bool left = __warpsim_negative(x);
    __warpsim_dd r;
    if (b == 0 || (a == __warpsim_inf && b != a)) {
        r = left ? __warpsim_pi : __warpsim_pair(0, 0);
        return __warpsim_copysign(r.hi, y);
    }
    if (a == 0 || (b == __warpsim_inf && a != b)) return __warpsim_copysign(0x1.921fb54442d18p+0, y);
    if (a == __warpsim_inf) a = b = 1;
    int ea, eb;
    double ma = __warpsim_split(a, &ea), mb = __warpsim_split(b, &eb);
    int d = eb - ea;
    if (d > 60) {
        r = __warpsim_half_pi;
    } else if (d < -60) {
        if (!left) return __warpsim_copysign(__warpsim_scale(mb / ma, d), y);
        r = __warpsim_pi;
    } else {
        r = __warpsim_angle(__warpsim_pair(mb * __warpsim_power2(d), 0), __warpsim_pair(ma, 0));
        if (left) r = __warpsim_sub2(__warpsim_pi, r);
    }
    return __warpsim_copysign(__warpsim_round2(r), y);
}
// sqrt(1 - x^2) for |x| <= 1.
__warpsim_both __warpsim_dd __warpsim_cosine_of(double x) {
    return __warpsim_sqrt2(__warpsim_mul2(__warpsim_sum(1, -x), __warpsim_sum(1, x)));
}
__warpsim_both double __warpsim_asin(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x) || a < 0x1p-27) return x;
    if (a > 1) return __warpsim_nan;
    __warpsim_dd r = __warpsim_angle(__warpsim_pair(a, 0), __warpsim_cosine_of(a));
    return __warpsim_copysign(__warpsim_round2(r), x);
}
__warpsim_both double __warpsim_acos(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x)) return x;
    if (a > 1) return __warpsim_nan;
    if (a < 0x1p-60) return 0x1.921fb54442d18p+0;
    __warpsim_dd r = __warpsim_angle(__warpsim_cosine_of(a), __warpsim_pair(a, 0));
    return __warpsim_round2(x < 0 ? __warpsim_sub2(__warpsim_pi, r) : r);
}

// Hyperbolic functions.
__warpsim_both double __warpsim_sinh(double x) {
    double a = __warpsim_abs(x), r;
    if (__warpsim_isnan(x) || a < 0x1p-28) return x;
    if (a > 711) return __warpsim_copysign(__warpsim_inf, x);
    if (a > 40) {
        int k;
        __warpsim_dd e = __warpsim_exp2dd(__warpsim_pair(a, 0), &k);
        r = __warpsim_scale(__warpsim_round2(e), k - 1);
    } else {
        // (e + e / (e + 1)) / 2 with e = exp(a) - 1
        __warpsim_dd e = __warpsim_expm1_of(__warpsim_pair(a, 0));
        e = __warpsim_add2(e, __warpsim_div2(e, __warpsim_add1(e, 1)));
        r = 0.5 * __warpsim_round2(e);
    }
    return __warpsim_copysign(r, x);
}
__warpsim_both double __warpsim_cosh(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x)) return x;
    if (a > 711) return __warpsim_inf;
    int k;
    __warpsim_dd e = __warpsim_exp2dd(__warpsim_pair(a, 0), &k);
    if (a > 40) return __warpsim_scale(__warpsim_round2(e), k - 1);
    e = __warpsim_times_power2(e, k);
    return 0.5 * __warpsim_round2(__warpsim_add2(e, __warpsim_div2(__warpsim_pair(1, 0), e)));
}
__warpsim_both double __warpsim_tanh(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x) || a < 0x1p-28) return x;
    if (a > 20) return __warpsim_copysign(1, x);
    __warpsim_dd e = __warpsim_expm1_of(__warpsim_pair(2 * a, 0));
    return __warpsim_copysign(__warpsim_round2(__warpsim_div2(e, __warpsim_add1(e, 2))), x);
}
__warpsim_both double __warpsim_asinh(double x) {
    double a = __warpsim_abs(x);
    if (!(a < __warpsim_inf) || a < 0x1p-28) return x;
    __warpsim_dd r;
    if (a > 0x1p60) {
        r = __warpsim_add2(__warpsim_log_of(__warpsim_pair(a, 0)), __warpsim_ln2);
    } else {
        // log1p(a + a^2 / (1 + sqrt(1 + a^2)))
        __warpsim_dd q = __warpsim_product(a, a);
        __warpsim_dd s = __warpsim_sqrt2(__warpsim_add1(q, 1));
        r = __warpsim_log1p_of(__warpsim_add1(__warpsim_div2(q, __warpsim_add1(s, 1)), a));
    }
    return __warpsim_copysign(__warpsim_round2(r), x);
}
__warpsim_both double __warpsim_acosh(double x) {
    if (!(x >= 1)) return __warpsim_isnan(x) ? x : __warpsim_nan;
    if (x == __warpsim_inf) return x;
    if (x > 0x1p60) return __warpsim_round2(__warpsim_add2(__warpsim_log_of(__warpsim_pair(x, 0)), __warpsim_ln2));
    // log1p(t + sqrt(t (t + 2))) with t = x - 1
    __warpsim_dd t = __warpsim_sum(x, -1);
    __warpsim_dd s = __warpsim_sqrt2(__warpsim_mul2(t, __warpsim_add1(t, 2)));
    return __warpsim_round2(__warpsim_log1p_of(__warpsim_add2(t, s)));
}
__warpsim_both double __warpsim_atanh(double x) {
    double a = __warpsim_abs(x);
    if (__warpsim_isnan(x) || a < 0x1p-28) return x;
    if (a >= 1) return a == 1 ? __warpsim_copysign(__warpsim_inf, x) : __warpsim_nan;
    __warpsim_dd r = __warpsim_log_of(__warpsim_div2(__warpsim_sum(1, a), __warpsim_sum(1, -a)));
    return __warpsim_copysign(0.5 * __warpsim_round2(r), x);
}
