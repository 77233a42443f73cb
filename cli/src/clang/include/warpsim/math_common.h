// What the math functions of this folder share: bits of doubles, and double-double arithmetic.
//
// A double-double is an unevaluated sum hi + lo with |lo| <= ulp(hi)/2. The sums and products here must not be contracted
// to fma, which clang does by default in device code: on the device they are the instructions with a rounding (`.rn`).
// All of it works on the host, too: functions that CUDA offers on both sides use it on both.
#pragma once
#pragma GCC system_header

#ifndef __warpsim_both
#define __warpsim_both static __inline__ __attribute__((host)) __attribute__((device))
#endif
#ifndef __warpsim_device
#define __warpsim_device static __inline__ __attribute__((device))
#endif

#define __warpsim_inf __builtin_inf()
#define __warpsim_nan __builtin_nan("")

#ifdef __CUDA_ARCH__
__warpsim_both double __warpsim_add(double a, double b) { return __nvvm_add_rn_d(a, b); }
__warpsim_both double __warpsim_mul(double a, double b) { return __nvvm_mul_rn_d(a, b); }
__warpsim_both double __warpsim_fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
__warpsim_both double __warpsim_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
__warpsim_both double __warpsim_rint(double a) { return __builtin_rint(a); }
__warpsim_both double __warpsim_floor(double a) { return __builtin_floor(a); }
__warpsim_both unsigned long long __warpsim_mulhi(unsigned long long a, unsigned long long b) {
    return __nvvm_mulhi_ull(a, b);
}
#else
__warpsim_both double __warpsim_add(double a, double b) { return a + b; }
__warpsim_both double __warpsim_mul(double a, double b) { return a * b; }
__warpsim_both double __warpsim_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__warpsim_both double __warpsim_sqrt(double a) { return __builtin_sqrt(a); }
__warpsim_both double __warpsim_rint(double a) { return __builtin_rint(a); }
__warpsim_both double __warpsim_floor(double a) { return __builtin_floor(a); }
__warpsim_both unsigned long long __warpsim_mulhi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
#endif
__warpsim_both double __warpsim_sub(double a, double b) { return __warpsim_add(a, -b); }

__warpsim_both unsigned long long __warpsim_bits(double a) { return __builtin_bit_cast(unsigned long long, a); }
__warpsim_both double __warpsim_double(unsigned long long a) { return __builtin_bit_cast(double, a); }
__warpsim_both double __warpsim_abs(double a) { return __builtin_fabs(a); }
__warpsim_both double __warpsim_copysign(double a, double b) { return __builtin_copysign(a, b); }
__warpsim_both bool __warpsim_isnan(double a) { return a != a; }
__warpsim_both bool __warpsim_isinf(double a) { return __warpsim_abs(a) == __warpsim_inf; }
__warpsim_both bool __warpsim_negative(double a) { return (long long)__warpsim_bits(a) < 0; }

// 2^k, for k from -1022 to 1023.
__warpsim_both double __warpsim_power2(int k) { return __warpsim_double((unsigned long long)(k + 1023) << 52); }

// a * 2^k with one rounding, for an `a` whose magnitude is near 1 (from 2^-100 to 2^100).
__warpsim_both double __warpsim_scale(double a, int k) {
    if (k > 800) {
        k = k > 1300 ? 1300 : k;
        return a * __warpsim_power2(k - 400) * __warpsim_power2(400);
    }
    if (k < -800) {
        k = k < -1400 ? -1400 : k;
        return a * __warpsim_power2(k + 500) * __warpsim_power2(-500);
    }
    return a * __warpsim_power2(k);
}

// |a| as m * 2^e with 1 <= m < 2; `a` is finite and not zero.
__warpsim_both double __warpsim_split(double a, int *e) {
    unsigned long long bits = __warpsim_bits(a) & 0x7fffffffffffffffull;
    int add = 0;
    if (bits < 0x0010000000000000ull) {
        bits = __warpsim_bits(__warpsim_double(bits) * 0x1p54);
        add = -54;
    }
    *e = (int)(bits >> 52) - 1023 + add;
    return __warpsim_double((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
}

// a * 2^k with one rounding, for every a and k.
__warpsim_both double __warpsim_scalbn(double a, int k) {
    if (a == 0 || !(__warpsim_abs(a) < __warpsim_inf)) return a + a;
    int e;
    double m = __warpsim_split(a, &e);
    k = k > 5000 ? 5000 : k < -5000 ? -5000 : k;
    return __warpsim_scale(__warpsim_copysign(m, a), e + k);
}

// Double-double.
struct __warpsim_dd {
    double hi, lo;
};
__warpsim_both __warpsim_dd __warpsim_pair(double hi, double lo) {
    __warpsim_dd r = {hi, lo};
    return r;
}
// a + b exactly.
__warpsim_both __warpsim_dd __warpsim_sum(double a, double b) {
    double s = __warpsim_add(a, b);
    double t = __warpsim_sub(s, a);
    return __warpsim_pair(s, __warpsim_add(__warpsim_sub(a, __warpsim_sub(s, t)), __warpsim_sub(b, t)));
}
// a + b exactly, if |a| >= |b| or a = 0.
__warpsim_both __warpsim_dd __warpsim_fast_sum(double a, double b) {
    double s = __warpsim_add(a, b);
    return __warpsim_pair(s, __warpsim_sub(b, __warpsim_sub(s, a)));
}
// a * b exactly (where nothing underflows).
__warpsim_both __warpsim_dd __warpsim_product(double a, double b) {
    double p = __warpsim_mul(a, b);
    return __warpsim_pair(p, __warpsim_fma(a, b, -p));
}
__warpsim_both __warpsim_dd __warpsim_add2(__warpsim_dd a, __warpsim_dd b) {
    __warpsim_dd s = __warpsim_sum(a.hi, b.hi), t = __warpsim_sum(a.lo, b.lo);
    s = __warpsim_fast_sum(s.hi, __warpsim_add(s.lo, t.hi));
    return __warpsim_fast_sum(s.hi, __warpsim_add(s.lo, t.lo));
}
__warpsim_both __warpsim_dd __warpsim_add1(__warpsim_dd a, double b) {
    __warpsim_dd s = __warpsim_sum(a.hi, b);
    return __warpsim_fast_sum(s.hi, __warpsim_add(s.lo, a.lo));
}
__warpsim_both __warpsim_dd __warpsim_negate(__warpsim_dd a) { return __warpsim_pair(-a.hi, -a.lo); }
__warpsim_both __warpsim_dd __warpsim_sub2(__warpsim_dd a, __warpsim_dd b) {
    return __warpsim_add2(a, __warpsim_negate(b));
}
__warpsim_both __warpsim_dd __warpsim_mul2(__warpsim_dd a, __warpsim_dd b) {
    __warpsim_dd p = __warpsim_product(a.hi, b.hi);
    return __warpsim_fast_sum(p.hi, __warpsim_fma(a.hi, b.lo, __warpsim_fma(a.lo, b.hi, p.lo)));
}
__warpsim_both __warpsim_dd __warpsim_mul1(__warpsim_dd a, double b) {
    __warpsim_dd p = __warpsim_product(a.hi, b);
    return __warpsim_fast_sum(p.hi, __warpsim_fma(a.lo, b, p.lo));
}
__warpsim_both __warpsim_dd __warpsim_div2(__warpsim_dd a, __warpsim_dd b) {
    double q = a.hi / b.hi;
    __warpsim_dd p = __warpsim_product(q, b.hi);
    double r = __warpsim_add(__warpsim_sub(a.hi, p.hi), __warpsim_fma(-q, b.lo, __warpsim_sub(a.lo, p.lo)));
    return __warpsim_fast_sum(q, r / b.hi);
}
__warpsim_both __warpsim_dd __warpsim_sqrt2(__warpsim_dd a) {
    double s = __warpsim_sqrt(a.hi);
    if (s == 0) return __warpsim_pair(0, 0);
    double r = __warpsim_add(__warpsim_fma(-s, s, a.hi), a.lo);
    return __warpsim_fast_sum(s, r / (2 * s));
}
__warpsim_both double __warpsim_round2(__warpsim_dd a) { return __warpsim_add(a.hi, a.lo); }
// a * 2^k as a double-double; k is small.
__warpsim_both __warpsim_dd __warpsim_times_power2(__warpsim_dd a, int k) {
    double f = __warpsim_power2(k);
    return __warpsim_pair(a.hi * f, a.lo * f);
}

#define __warpsim_ln2 __warpsim_pair(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)
#define __warpsim_log2e __warpsim_pair(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56)
#define __warpsim_log10e __warpsim_pair(0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57)
#define __warpsim_ln10 __warpsim_pair(0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53)
#define __warpsim_pi __warpsim_pair(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53)
#define __warpsim_half_pi __warpsim_pair(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)

// A polynomial, the lowest coefficient first, by Horner's rule.
template <int n> __warpsim_both double __warpsim_polynomial(double x, const double (&c)[n]) {
    double r = c[n - 1];
#pragma unroll
    for (int i = n - 2; i >= 0; i--) r = __warpsim_fma(r, x, c[i]);
    return r;
}
