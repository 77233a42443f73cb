// Bessel functions: j0, j1, jn, y0, y1, yn and the modified ones cyl_bessel_i0 and cyl_bessel_i1.
//
// Document: the CUDA math API, and the CUDA C++ Programming Guide's tables of errors (for arguments
// below 8 some ulp, beyond an absolute error of 5e-12). Method: below 25 the power series in
// double-double, whose terms lose fewer digits to each other than it has to spare; beyond, Hankel's
// asymptotic series. Orders above 1 come by recurrence, upward where that is stable, else downward.
#pragma once
#pragma GCC system_header
#include "math_double.h"

// log(x) in all digits of a double-double: 2 artanh((m - 1) / (m + 1)) for the fraction m.
__warpsim_both __warpsim_dd __warpsim_log_precise(double x) {
    int e;
    __warpsim_dd m = __warpsim_log_reduce(__warpsim_pair(x, 0), &e);
    __warpsim_dd s = __warpsim_div2(__warpsim_sum(m.hi, -1), __warpsim_sum(m.hi, 1));
    __warpsim_dd square = __warpsim_mul2(s, s), power = s, all = s;
    for (int k = 3; k < 61 && __warpsim_abs(power.hi) > 1e-34; k += 2) {
        power = __warpsim_mul2(power, square);
        all = __warpsim_add2(all, __warpsim_div2(power, __warpsim_pair(k, 0)));
    }
    return __warpsim_add2(__warpsim_mul1(__warpsim_ln2, e), __warpsim_times_power2(all, 1));
}

// The power series of J (sign -1) or I (sign 1) of order n, 0 or 1; x > 0. With `weighted`, each
// term is multiplied by the sum of the harmonic numbers of k and of k + n, which Y needs.
__warpsim_both __warpsim_dd __warpsim_bessel_series(double x, int n, double sign, bool weighted) {
    __warpsim_dd z = __warpsim_times_power2(__warpsim_product(x, x), -2);
    if (sign < 0) z = __warpsim_negate(z);
    __warpsim_dd term = __warpsim_pair(n == 0 ? 1 : 0.5 * x, 0), harmonic = __warpsim_pair(n, 0);
    __warpsim_dd all = weighted ? __warpsim_mul2(term, harmonic) : term;
    for (int k = 1; k < 400; k++) {
        term = __warpsim_div2(__warpsim_mul2(term, z), __warpsim_pair((double)k * (k + n), 0));
        __warpsim_dd more = term;
        if (weighted) {
            harmonic = __warpsim_add2(harmonic,
                                      __warpsim_div2(__warpsim_pair(1, 0), __warpsim_pair(k, 0)));
            harmonic = __warpsim_add2(
                harmonic, __warpsim_div2(__warpsim_pair(1, 0), __warpsim_pair(k + n, 0)));
            more = __warpsim_mul2(term, harmonic);
        }
        all = __warpsim_add2(all, more);
        if (k > x && __warpsim_abs(more.hi) < 1e-36 * (1 + __warpsim_abs(all.hi))) break;
        if (__warpsim_abs(more.hi) < 1e-33 * __warpsim_abs(all.hi) && k > x) break;
    }
    return all;
}
// Hankel's series: the sums of the terms of even and of odd place, with the signs of J and Y, or
// all of them with those of I.
__warpsim_both void __warpsim_hankel(double x, int n, bool modified, double *even, double *odd)
{
    double term = 1, mu = 4.0 * n * n;
    *even = 1, *odd = 0;
    for (int k = 1; k < 60; k++) {
        double next = term * (mu - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8.0 * x);
        if (__warpsim_abs(next) > __warpsim_abs(term) && k > 2) break;
        term = next;
        double sign = modified ? (k % 2 ? -1 : 1) : k / 2 % 2 ? -1 : 1;
        if (k % 2 && !modified)
            *odd += sign * term;
        else
            *even += sign * term;
        if (__warpsim_abs(term) < 1e-18) break;
    }
}
// The phase of J and Y is x - (n / 2 + 1 / 4) pi, of which these are the cosine and the sine, times
// the root of 2.
__warpsim_both double __warpsim_bessel_large(double x, int n, bool second) {
    double s, c, p, q;
    __warpsim_sincos(x, &s, &c);
    __warpsim_hankel(x, n, false, &p, &q);
    double cosine = n == 0 ? c + s : s - c, sine = n == 0 ? s - c : -(s + c);
    // 1 / sqrt(pi x)
    double size = 0x1.20dd750429b6dp-1 / __warpsim_sqrt(x);
    return size * (second ? p * sine + q * cosine : p * cosine - q * sine);
}
__warpsim_both double __warpsim_bessel_j(double x, int n) {
    if (__warpsim_isnan(x)) return x;
    double a = __warpsim_abs(x), sign = n == 1 && x < 0 ? -1 : 1;
    if (__warpsim_isinf(a)) return 0;
    if (a < 0x1p-30) return n == 0 ? 1 : 0.5 * x;
    return sign * (a < 25 ? __warpsim_round2(__warpsim_bessel_series(a, n, -1, false))
                          : __warpsim_bessel_large(a, n, false));
}
__warpsim_both double __warpsim_bessel_y(double x, int n) {
    if (__warpsim_isnan(x)) return x;
    if (x <= 0) return x == 0 ? -__warpsim_inf : __warpsim_nan;
    if (__warpsim_isinf(x)) return 0;
    if (x >= 25) return __warpsim_bessel_large(x, n, true);
    if (n == 1 && x < 0x1p-1000) return -0x1.45f306dc9c883p-1 / x;
    // 2 / pi, and Euler's constant.
    __warpsim_dd two_over_pi = __warpsim_pair(0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55);
    __warpsim_dd euler = __warpsim_pair(0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58);
    __warpsim_dd log = __warpsim_add2(__warpsim_log_precise(0.5 * x), euler);
    __warpsim_dd all = __warpsim_mul2(log, __warpsim_bessel_series(x, n, -1, false));
    all = __warpsim_add2(
        all, __warpsim_times_power2(__warpsim_negate(__warpsim_bessel_series(x, n, -1, true)), -1));
    if (n == 1)
        all = __warpsim_add2(
            all, __warpsim_negate(__warpsim_div2(__warpsim_pair(1, 0), __warpsim_pair(x, 0))));
    return __warpsim_round2(__warpsim_mul2(two_over_pi, all));
}
__warpsim_both double __warpsim_bessel_i(double x, int n) {
    if (__warpsim_isnan(x)) return x;
    double a = __warpsim_abs(x), sign = n == 1 && x < 0 ? -1 : 1, even, none;
    if (a > 715) return sign * __warpsim_inf;
    if (a < 0x1p-30) return n == 0 ? 1 : 0.5 * x;
    if (a < 40) return sign * __warpsim_round2(__warpsim_bessel_series(a, n, 1, false));
    __warpsim_hankel(a, n, true, &even, &none);
    int k;
    __warpsim_dd e = __warpsim_exp2dd(__warpsim_pair(a, 0), &k);
    // 1 / sqrt(2 pi x)
    return sign * __warpsim_scale(
                      __warpsim_round2(e) * even * (0x1.9884533d43651p-2 / __warpsim_sqrt(a)), k);
}
// Of any order, by B(k + 1) = 2 k / x B(k) - B(k - 1).
__warpsim_both double __warpsim_bessel_upward(int n, double x, double before, double now) {
    for (int k = 1; k < n && __warpsim_abs(now) < __warpsim_inf; k++) {
        double next = 2.0 * k / x * now - before;
        before = now, now = next;
    }
    return now;
}
__warpsim_both double __warpsim_jn(int n, double x) {
    double sign = 1, a = __warpsim_abs(x);
    if ((x < 0) != (n < 0) && n % 2 != 0) sign = -1;
    if (n < 0) n = -n;
    if (__warpsim_isnan(x) || n < 2)
        return n == 1 ? sign * __warpsim_bessel_j(a, 1) : __warpsim_bessel_j(a, 0);
    if (a == 0 || __warpsim_isinf(a)) return 0;
    if (n <= a)
        return sign *
               __warpsim_bessel_upward(n, a, __warpsim_bessel_j(a, 0), __warpsim_bessel_j(a, 1));
    // From an order so high that what it is begun with does not matter; the sum of J(0) and twice
    // those of even order is 1.
    int from = n + 2 * (int)__warpsim_sqrt(40.0 * n) + 20;
    from += from % 2;
    double above = 0, now = 1e-300, all = 0, wanted = 0;
    for (int k = from; k > 0; k--) {
        double below = 2.0 * k / a * now - above;
        above = now, now = below;
        if (__warpsim_abs(now) > 1e250)
            now *= 1e-250, above *= 1e-250, all *= 1e-250, wanted *= 1e-250;
        if (k - 1 == n) wanted = now;
        if ((k - 1) % 2 == 0) all += k == 1 ? now : 2 * now;
    }
    return sign * wanted / all;
}
__warpsim_both double __warpsim_yn(int n, double x) {
    double sign = n < 0 && n % 2 != 0 ? -1 : 1;
    if (n < 0) n = -n;
    if (n < 2 || !(x > 0) || __warpsim_isinf(x))
        return n == 0 || !(x >= 0) ? __warpsim_bessel_y(x, 0) : sign * __warpsim_bessel_y(x, 1);
    return sign * __warpsim_bessel_upward(n, x, __warpsim_bessel_y(x, 0), __warpsim_bessel_y(x, 1));
}
