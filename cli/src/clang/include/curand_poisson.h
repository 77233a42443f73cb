// Poisson numbers of cuRAND's device API (cuRAND guide, "Distributions").
//
// XORWOW, MRG32k3a, Philox: below a mean of 64 products of uniform numbers (Knuth: The Art of
// Computer Programming 2, 3.4.1); above 4000 a normal number, rounded; between, Hoermann's method
// PTRS ("The transformed rejection method for generating Poisson random variables", 1993). The
// others: the inverse of the distribution function, and from 1000 on of the normal one.
//
// Deviation: between 64 and 4000 the numbers follow the same distribution as cuRAND's, but are
// others.
#pragma once
#include "curand_normal.h"

// The logarithm of the probability of k.
__warpsim_device double __warpsim_poisson_log(double lambda, double k) {
    return k * log(lambda) - lambda - lgamma(k + 1.0);
}
__warpsim_device unsigned int __warpsim_poisson_rounded(double normal, double lambda) {
    return (unsigned)(fma(sqrt(lambda), normal, lambda) + 0.5);
}
template <class State>
__warpsim_device unsigned int __warpsim_poisson_product(State *state, float lambda) {
    unsigned k = 0;
    for (float p = expf(lambda) * curand_uniform(state); p > 1.0f; k++) p *= curand_uniform(state);
    return k;
}
template <class State>
__warpsim_device unsigned int __warpsim_poisson_rejected(State *state, double lambda) {
    double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
    double inverse = 1.1239 + 1.1328 / (b - 3.4), certain = 0.9277 - 3.6224 / (b - 2.0);
    for (;;) {
        double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
        double us = 0.5 - fabs(u), k = floor((2.0 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= certain) return (unsigned)k;
        if (k < 0.0 || (us < 0.013 && v > us)) continue;
        if (log(v * inverse / (a / (us * us) + b)) <= __warpsim_poisson_log(lambda, k))
            return (unsigned)k;
    }
}
template <class State>
__warpsim_device unsigned int __warpsim_poisson(State *state, double lambda) {
    if (lambda < 64) return __warpsim_poisson_product(state, (float)lambda);
    if (lambda > 4000) return __warpsim_poisson_rounded(curand_normal_double(state), lambda);
    return __warpsim_poisson_rejected(state, lambda);
}

// The smallest k below which there is more than u, in (0, 1). The sum begins where what is below is
// less than 2^-64.
__warpsim_device unsigned int __warpsim_poisson_inverse(double u, double lambda) {
    double k = fmax(0.0, floor(lambda - 10.0 * sqrt(lambda)));
    double p = exp(__warpsim_poisson_log(lambda, k));
    // Behind the mean, there is an end: sums are rounded.
    for (double sum = p; u > sum && (k < lambda || p > 0x1p-80); sum += p) p *= lambda / ++k;
    return (unsigned)k;
}
__warpsim_device unsigned int __warpsim_poisson_of(unsigned int x, double lambda) {
    return __warpsim_poisson_inverse(fma(x, CURAND_2POW32_INV_DOUBLE, 0x1p-33), lambda);
}
__warpsim_device unsigned int __warpsim_poisson_of(unsigned long long x, double lambda) {
    return __warpsim_poisson_inverse(fma((double)(x >> 11), CURAND_2POW53_INV_DOUBLE, 0x1p-55),
                                     lambda);
}

#define __warpsim_curand_poisson(name)                                         \
    __warpsim_device unsigned int curand_poisson(name *state, double lambda) { \
        return __warpsim_poisson(state, lambda);                               \
    }
__warpsim_curand_poisson(curandStateXORWOW_t) __warpsim_curand_poisson(curandStatePhilox4_32_10_t)
    __warpsim_curand_poisson(curandStateMRG32k3a_t)
#undef __warpsim_curand_poisson
#define __warpsim_curand_poisson(name)                                                         \
    __warpsim_device unsigned int curand_poisson(name *state, double lambda) {                 \
        return lambda < 1000 ? __warpsim_poisson_of(curand(state), lambda)                     \
                             : __warpsim_poisson_rounded(curand_normal_double(state), lambda); \
    }
        __warpsim_curand_poisson(curandStateSobol32_t)
            __warpsim_curand_poisson(curandStateScrambledSobol32_t)
                __warpsim_curand_poisson(curandStateSobol64_t)
                    __warpsim_curand_poisson(curandStateScrambledSobol64_t)
#undef __warpsim_curand_poisson

                        __warpsim_device uint4
    curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
    if (lambda > 4000) {
        double4 x = curand_normal4_double(state);
        return make_uint4(
            __warpsim_poisson_rounded(x.x, lambda), __warpsim_poisson_rounded(x.y, lambda),
            __warpsim_poisson_rounded(x.z, lambda), __warpsim_poisson_rounded(x.w, lambda));
    }
    uint4 k;
    k.x = __warpsim_poisson(state, lambda);
    k.y = __warpsim_poisson(state, lambda);
    k.z = __warpsim_poisson(state, lambda);
    k.w = __warpsim_poisson(state, lambda);
    return k;
}
