// The trigonometric kernels, and the reduction of their arguments, for every double.
//
// Up to 100000 the multiple of pi/2 is subtracted in three parts (Cody and Waite, with fma the first is exact). Above, the
// argument is multiplied by the bits of 2/pi that matter (Payne and Hanek, 192 bits of them): the fraction has 66 bits at
// least where the argument is nearest to a multiple of pi/2. The kernels return double-doubles good to about 2^-58.
#pragma once
#pragma GCC system_header
#include "math_common.h"

// The first 1280 bits of 2/pi, after 64 zeros.
__warpsim_both unsigned long long __warpsim_two_over_pi(int i) {
    constexpr unsigned long long words[] = {
        0, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
    return words[i];
}

// a - q * pi/2 for a finite a >= 2^10, and q modulo 4.
__warpsim_both __warpsim_dd __warpsim_reduce_large(double a, int *quadrant) {
    int e;
    double m1 = __warpsim_split(a, &e);
    unsigned long long m = (__warpsim_bits(m1) & 0x000fffffffffffffull) | 0x0010000000000000ull;
    // a = m * 2^(e - 52). Bits of 2/pi that give multiples of 4 are skipped.
    int first = e - 52 - 2 + 64;
    int word = first >> 6, shift = first & 63;
    unsigned long long w[4], f[3];
#pragma unroll
    for (int i = 0; i < 4; i++) w[i] = __warpsim_two_over_pi(word + i);
#pragma unroll
    for (int i = 0; i < 3; i++) f[i] = shift ? w[i] << shift | w[i + 1] >> (64 - shift) : w[i];
    unsigned long long a2 = m * f[2];
    unsigned long long a1 = m * f[1], add = __warpsim_mulhi(m, f[2]);
    a1 += add;
    unsigned long long a0 = m * f[0] + __warpsim_mulhi(m, f[1]) + (a1 < add);
    int q = (int)(a0 >> 62);
    unsigned long long hi = a0 << 2 | a1 >> 62, lo = a1 << 2 | a2 >> 62;
    bool minus = (long long)hi < 0;
    if (minus) {
        q++;
        lo = 0 - lo;
        hi = ~hi + (lo == 0);
    }
    *quadrant = q & 3;
    if (hi == 0 && lo == 0) return __warpsim_pair(0, 0);
    int zeros = 0;
    if (hi == 0) {
        hi = lo;
        lo = 0;
        zeros = 64;
    }
    int more = __builtin_clzll(hi);
    if (more) {
        hi = hi << more | lo >> (64 - more);
        lo <<= more;
        zeros += more;
    }
    double scale = __warpsim_power2(-zeros);
    double top = (double)(hi >> 11) * 0x1p-53 * scale;
    double rest = (double)((hi & 0x7ff) << 53 | lo >> 11) * 0x1p-117 * scale;
    __warpsim_dd r = __warpsim_mul2(__warpsim_fast_sum(top, rest), __warpsim_half_pi);
    return minus ? __warpsim_negate(r) : r;
}

// a - q * pi/2, and q modulo 4, for a finite a: |r| <= pi/4 and a little more.
__warpsim_both __warpsim_dd __warpsim_reduce(double a, int *quadrant) {
    double b = __warpsim_abs(a);
    __warpsim_dd r;
    int q;
    if (b <= 0.78) {
        *quadrant = 0;
        return __warpsim_pair(a, 0);
    }
    if (b < 1e5) {
        double k = __warpsim_rint(__warpsim_mul(b, 0x1.45f306dc9c883p-1));
        double r0 = __warpsim_fma(-k, 0x1.921fb54442d18p+0, b);
        __warpsim_dd p = __warpsim_product(k, 0x1.1a62633145c07p-54);
        r = __warpsim_sum(r0, -p.hi);
        r = __warpsim_sum(r.hi, __warpsim_fma(-k, -0x1.f1976b7ed8fbcp-110, __warpsim_sub(r.lo, p.lo)));
        q = (int)k;
    } else {
        r = __warpsim_reduce_large(b, &q);
    }
    if (a < 0) {
        r = __warpsim_negate(r);
        q = -q;
    }
    *quadrant = q & 3;
    return r;
}

// sin and cos for |r| <= 0.7855.
__warpsim_both __warpsim_dd __warpsim_sin_kernel(__warpsim_dd r) {
    constexpr double c[] = {-0x1.5555555555555p-3,  0x1.1111111111111p-7,  -0x1.a01a01a01a019p-13, 0x1.71de3a556c2c7p-19,
                            -0x1.ae64567e72e9ap-26, 0x1.61245fb4bee94p-33, -0x1.ae7c5370664f0p-41, 0x1.92428e5825432p-49};
    double z = __warpsim_mul(r.hi, r.hi);
    double t = __warpsim_mul(__warpsim_mul(r.hi, z), __warpsim_polynomial(z, c));
    // the derivative of the rest is cos(r) - 1, applied to the low part
    return __warpsim_fast_sum(r.hi, __warpsim_add(t, __warpsim_fma(-0.5 * z, r.lo, r.lo)));
}
__warpsim_both __warpsim_dd __warpsim_cos_kernel(__warpsim_dd r) {
    constexpr double c[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16c17p-10, 0x1.a01a01a01a019p-16, -0x1.27e4fb7789d97p-22,
                            0x1.1eed8eff3355bp-29, -0x1.939749540f022p-37, 0x1.ae7ce896ed655p-45, -0x1.65d29bad11334p-53};
    double z = __warpsim_mul(r.hi, r.hi);
    __warpsim_dd h = __warpsim_product(r.hi, 0.5 * r.hi);
    __warpsim_dd w = __warpsim_fast_sum(1, -h.hi);
    double t = __warpsim_fma(__warpsim_mul(z, z), __warpsim_polynomial(z, c), __warpsim_fma(-r.hi, r.lo, -h.lo));
    return __warpsim_fast_sum(w.hi, __warpsim_add(w.lo, t));
}

// sin (or cos, with q one more) of the angle r + q * pi/2.
__warpsim_both __warpsim_dd __warpsim_sin_quadrant(__warpsim_dd r, int q) {
    __warpsim_dd v = q & 1 ? __warpsim_cos_kernel(r) : __warpsim_sin_kernel(r);
    return q & 2 ? __warpsim_negate(v) : v;
}

// pi * a modulo pi/2, and the quadrant, exactly reduced. For |a| < 2^51 or so; larger ones are integers, handled before.
__warpsim_both __warpsim_dd __warpsim_reduce_pi(double a, int *quadrant) {
    double k = __warpsim_rint(2 * a);
    double f = __warpsim_fma(-0.5, k, a);
    *quadrant = (int)((long long)k & 3);
    return __warpsim_mul1(__warpsim_pi, f);
}

// Float: the kernels in double, good to 2^-31.
__warpsim_both double __warpsim_reduce_float(double a, int *quadrant) {
    double b = __warpsim_abs(a);
    if (b < 1e5) {
        double k = __warpsim_rint(__warpsim_mul(a, 0x1.45f306dc9c883p-1));
        *quadrant = (int)k & 3;
        return __warpsim_fma(-k, 0x1.1a62633145c07p-54, __warpsim_fma(-k, 0x1.921fb54442d18p+0, a));
    }
    int q;
    double r = __warpsim_reduce_large(b, &q).hi;
    *quadrant = (a < 0 ? -q : q) & 3;
    return a < 0 ? -r : r;
}
__warpsim_both double __warpsim_sin_float(double r) {
    constexpr double c[] = {-0x1.5555555555555p-3, 0x1.1111111111111p-7, -0x1.a01a01a01a01ap-13, 0x1.71de3a556c734p-19,
                            -0x1.ae64567f544e4p-26};
    double z = r * r;
    return __warpsim_fma(r * z, __warpsim_polynomial(z, c), r);
}
__warpsim_both double __warpsim_cos_float(double r) {
    constexpr double c[] = {1, -0.5, 0x1.5555555555555p-5, -0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-16,
                            -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d898p-29};
    return __warpsim_polynomial(r * r, c);
}
__warpsim_both double __warpsim_sin_quadrant_float(double r, int q) {
    double v = q & 1 ? __warpsim_cos_float(r) : __warpsim_sin_float(r);
    return q & 2 ? -v : v;
}
