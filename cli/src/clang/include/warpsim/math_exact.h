// The functions of CUDA's math API whose results are exact: remainders, parts of numbers, neighbours.
//
// Documents: the CUDA math API, and C's Annex F for the special values. Every result is exact, or rounded once.
#pragma once
#pragma GCC system_header
#include "math_common.h"

// |x| modulo |y| for finite numbers, y != 0, and the low bits of the quotient.
__warpsim_both double __warpsim_modulo(double x, double y, unsigned *quotient) {
    unsigned long long ux = __warpsim_bits(x) & 0x7fffffffffffffffull, uy = __warpsim_bits(y) & 0x7fffffffffffffffull;
    *quotient = 0;
    if (ux < uy) return __warpsim_double(ux);
    int ex = (int)(ux >> 52), ey = (int)(uy >> 52);
    unsigned long long mask = 0x000fffffffffffffull, one = 0x0010000000000000ull;
    unsigned long long mx = ex ? (ux & mask) | one : ux, my = ey ? (uy & mask) | one : uy;
    ex = ex ? ex : 1;
    ey = ey ? ey : 1;
    unsigned long long r = mx % my;
    unsigned q = (unsigned)(mx / my);
    for (int d = ex - ey; d > 0 && (r || q);) {
        int s = d < 11 ? d : 11;
        unsigned long long t = r << s;
        q = (q << s) + (unsigned)(t / my);
        r = t % my;
        d -= s;
    }
    *quotient = q;
    return __warpsim_scalbn((double)r, ey - 1075);
}

__warpsim_both double __warpsim_fmod(double x, double y) {
    if (!(__warpsim_abs(x) < __warpsim_inf) || __warpsim_isnan(y) || y == 0) return __warpsim_isnan(x) ? x : __warpsim_nan;
    if (__warpsim_isinf(y)) return x;
    unsigned q;
    return __warpsim_copysign(__warpsim_modulo(x, y, &q), x);
}

// The quotient's low 31 bits at most, with its sign.
__warpsim_both double __warpsim_remquo(double x, double y, int *quotient) {
    *quotient = 0;
    if (!(__warpsim_abs(x) < __warpsim_inf) || __warpsim_isnan(y) || y == 0) return __warpsim_isnan(x) ? x : __warpsim_nan;
    if (__warpsim_isinf(y)) return x;
    unsigned q;
    double b = __warpsim_abs(y), r = __warpsim_modulo(x, y, &q);
    // A comparison with b / 2 that is exact for subnormals, too.
    double rest = __warpsim_sub(b, r);
    bool minus = __warpsim_negative(x);
    if (r > rest || (r == rest && (q & 1))) {
        r = -rest;
        q++;
    }
    int n = (int)(q & 0x7fffffff);
    *quotient = minus != __warpsim_negative(y) ? -n : n;
    if (r == 0) return __warpsim_copysign(0, x);
    return minus ? -r : r;
}

__warpsim_both double __warpsim_modf(double x, double *whole) {
    double t = __builtin_trunc(x);
    *whole = t;
    return __warpsim_copysign(__warpsim_isinf(x) ? 0 : __warpsim_sub(x, t), x);
}
__warpsim_both double __warpsim_frexp(double x, int *e) {
    *e = 0;
    if (x == 0 || !(__warpsim_abs(x) < __warpsim_inf)) return x + x;
    double m = __warpsim_split(x, e);
    *e += 1;
    return __warpsim_copysign(0.5 * m, x);
}
__warpsim_both double __warpsim_logb(double x) {
    if (x == 0) return -__warpsim_inf;
    if (!(__warpsim_abs(x) < __warpsim_inf)) return x * x;
    int e;
    __warpsim_split(x, &e);
    return e;
}
// INT_MIN for 0 and for NaN as in CUDA, INT_MAX for infinity.
__warpsim_both int __warpsim_ilogb(double x) {
    if (x == 0 || __warpsim_isnan(x)) return -0x7fffffff - 1;
    if (__warpsim_isinf(x)) return 0x7fffffff;
    int e;
    __warpsim_split(x, &e);
    return e;
}
__warpsim_both double __warpsim_nextafter(double x, double y) {
    if (__warpsim_isnan(x) || __warpsim_isnan(y)) return x + y;
    if (x == y) return y;
    if (x == 0) return __warpsim_copysign(0x1p-1074, y);
    unsigned long long bits = __warpsim_bits(x);
    return __warpsim_double((x < y) == (x > 0) ? bits + 1 : bits - 1);
}
__warpsim_both float __warpsim_nextafterf(float x, float y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return __builtin_copysignf(0x1p-149f, y);
    unsigned bits = __builtin_bit_cast(unsigned, x);
    return __builtin_bit_cast(float, (x < y) == (x > 0) ? bits + 1 : bits - 1);
}
__warpsim_both double __warpsim_fdim(double x, double y) { return x <= y ? 0 : x - y; }
__warpsim_both int __warpsim_fpclassify(double x) {
    double a = __warpsim_abs(x);
    return __warpsim_isnan(x) ? 0 : a == __warpsim_inf ? 1 : a == 0 ? 2 : a < 0x1p-1022 ? 3 : 4;
}
