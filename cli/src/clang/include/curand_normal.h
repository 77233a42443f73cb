// Normal numbers of cuRAND's device API (cuRAND guide, "Distributions").
//
// XORWOW, MRG32k3a and Philox: the method of Box and Muller ("A Note on the Generation of Random
// Normal Deviates", 1958), sine first; a second number is kept in the state. The others: the
// inverse of the distribution function, of one number.
//
// Deviation from hardware: floats may differ in the last bits, for logf, __sincosf and erfcinvf do.
#pragma once
#include "curand_kernel.h"
#include "curand_uniform.h"

// The pair of two uniform numbers, the second of which is an angle: in radians, or in half turns.
__warpsim_device float2 __warpsim_curand_pair(float u, float radians) {
    float s, c, radius = sqrtf(-2.0f * logf(u));
    __sincosf(radians, &s, &c);
    return make_float2(s * radius, c * radius);
}
__warpsim_device double2 __warpsim_curand_pair(double u, double half_turns) {
    double s, c, radius = sqrt(-2.0 * log(u));
    sincospi(half_turns, &s, &c);
    return make_double2(s * radius, c * radius);
}
__warpsim_device float2 _curand_box_muller(unsigned int x, unsigned int y) {
    return __warpsim_curand_pair(_curand_uniform(x),
                                 fmaf(y, CURAND_2POW32_INV_2PI, CURAND_2POW32_INV_2PI / 2));
}
__warpsim_device double2 _curand_box_muller_double(unsigned x0, unsigned x1, unsigned y0,
                                                   unsigned y1) {
    return __warpsim_curand_pair(_curand_uniform_double_hq(x0, x1),
                                 2 * _curand_uniform_double_hq(y0, y1));
}

// The pair of each generator's next numbers. (Arguments of a call have no order, thus names.)
__warpsim_device float2 curand_box_muller(curandStateXORWOW_t *state) {
    unsigned x = curand(state), y = curand(state);
    return _curand_box_muller(x, y);
}
__warpsim_device double2 curand_box_muller_double(curandStateXORWOW_t *state) {
    unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    return _curand_box_muller_double(x0, x1, y0, y1);
}
__warpsim_device float2 curand_box_muller(curandStatePhilox4_32_10_t *state) {
    unsigned x = curand(state), y = curand(state);
    return _curand_box_muller(x, y);
}
__warpsim_device double2 curand_box_muller_double(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    return _curand_box_muller_double(x.x, x.y, x.z, x.w);
}
__warpsim_device float2 curand_box_muller(curandStateMRG32k3a_t *state) {
    float x = curand_uniform(state), y = curand_uniform(state);
    return __warpsim_curand_pair(x, y * CURAND_2PI);
}
__warpsim_device double2 curand_box_muller_double(curandStateMRG32k3a_t *state) {
    double x = curand_uniform_double(state), y = curand_uniform_double(state);
    return __warpsim_curand_pair(x, y * 2.0);
}

// One number of a pair; the other is kept for the next call of the same distribution. It is what
// `of` makes of it.
#define __warpsim_curand_one(state, T, suffix, flag, of) \
    if (state->boxmuller_flag##suffix == flag) {         \
        state->boxmuller_flag##suffix = 0;               \
        return state->boxmuller_extra##suffix;           \
    }                                                    \
    T##2 pair = curand_box_muller##suffix(state);        \
    state->boxmuller_flag##suffix = flag;                \
    state->boxmuller_extra##suffix = of(pair.y);         \
    return of(pair.x);

#define __warpsim_curand_normal(name, T, suffix)                                          \
    __warpsim_device T curand_normal##suffix(name *state){__warpsim_curand_one(           \
        state, T, suffix,                                                                 \
        EXTRA_FLAG_NORMAL, )} __warpsim_device T##2 curand_normal2##suffix(name *state) { \
        return curand_box_muller##suffix(state);                                          \
    }
#define __warpsim_curand_normals(name) \
    __warpsim_curand_normal(name, float, ) __warpsim_curand_normal(name, double, _double)
__warpsim_curand_normals(curandStateXORWOW_t) __warpsim_curand_normals(curandStatePhilox4_32_10_t)
    __warpsim_curand_normals(curandStateMRG32k3a_t)
#undef __warpsim_curand_normal
#undef __warpsim_curand_normals

        __warpsim_device float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
__warpsim_device double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
    double2 a = curand_box_muller_double(state), b = curand_box_muller_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}

// The inverse, of the half below 1/2; the other half is its mirror.
__warpsim_device float _curand_normal_icdf(unsigned int x) {
    bool mirrored = x > 0x80000000u;
    float r = -1.4142135f * erfcinvf(2.0f * _curand_uniform(mirrored ? ~x : x));
    return mirrored ? -r : r;
}
__warpsim_device float _curand_normal_icdf(unsigned long long x) {
    return _curand_normal_icdf((unsigned)(x >> 32));
}
__warpsim_device double _curand_normal_icdf_double(unsigned int x) {
    bool mirrored = x > 0x80000000u;
    double r = -1.4142135623730951 *
               erfcinv(2.0 * fma(mirrored ? ~x : x, CURAND_2POW32_INV_DOUBLE, 0x1p-33));
    return mirrored ? -r : r;
}
__warpsim_device double _curand_normal_icdf_double(unsigned long long x) {
    bool mirrored = x >> 11 > 1ull << 52;
    double r = -1.4142135623730951 * erfcinv(2.0 * _curand_uniform_double(mirrored ? ~x : x));
    return mirrored ? -r : r;
}
#define __warpsim_curand_inverse(name)                          \
    __warpsim_device float curand_normal(name *state) {         \
        return _curand_normal_icdf(curand(state));              \
    }                                                           \
    __warpsim_device double curand_normal_double(name *state) { \
        return _curand_normal_icdf_double(curand(state));       \
    }
__warpsim_curand_inverse(curandStateSobol32_t)
    __warpsim_curand_inverse(curandStateScrambledSobol32_t)
        __warpsim_curand_inverse(curandStateSobol64_t)
            __warpsim_curand_inverse(curandStateScrambledSobol64_t)
#undef __warpsim_curand_inverse
