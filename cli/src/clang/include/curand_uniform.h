// Uniform numbers of cuRAND's device API: floats and doubles in (0, 1] (cuRAND guide,
// "Distributions").
//
// A number x of 32 bits becomes x * 2^-32 + 2^-33 as a float, x * 2^-32 + 2^-32 as a double; one of
// 64 bits gives its upper 32 to a float, its upper 53 to a double. XORWOW, and pairs of Philox,
// take two numbers for a double; MRG32k3a divides its own.
#pragma once
#include "curand_kernel.h"

__warpsim_device float _curand_uniform(unsigned int x) {
    return fmaf(x, CURAND_2POW32_INV, 0x1p-33f);
}
__warpsim_device float _curand_uniform(unsigned long long x) {
    return _curand_uniform((unsigned)(x >> 32));
}
__warpsim_device double _curand_uniform_double(unsigned int x) {
    return fma(x, CURAND_2POW32_INV_DOUBLE, 0x1p-32);
}
__warpsim_device double _curand_uniform_double(unsigned long long x) {
    return fma((double)(x >> 11), CURAND_2POW53_INV_DOUBLE, 0x1p-54);
}
// 53 bits of two numbers.
__warpsim_device double _curand_uniform_double_hq(unsigned int x, unsigned int y) {
    return fma((double)(x ^ (unsigned long long)y << 21), CURAND_2POW53_INV_DOUBLE, 0x1p-54);
}
__warpsim_device float4 _curand_uniform4(uint4 x) {
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z),
                       _curand_uniform(x.w));
}

#define __warpsim_curand_uniform(name) \
    __warpsim_device float curand_uniform(name *state) { return _curand_uniform(curand(state)); }
#define __warpsim_curand_uniforms(name)                                                         \
    __warpsim_curand_uniform(name) __warpsim_device double curand_uniform_double(name *state) { \
        return _curand_uniform_double(curand(state));                                           \
    }
__warpsim_curand_uniforms(curandStatePhilox4_32_10_t)
    __warpsim_curand_uniforms(curandStateSobol32_t)
        __warpsim_curand_uniforms(curandStateScrambledSobol32_t)
            __warpsim_curand_uniforms(curandStateSobol64_t)
                __warpsim_curand_uniforms(curandStateScrambledSobol64_t)
                    __warpsim_curand_uniform(curandStateXORWOW_t)
#undef __warpsim_curand_uniform
#undef __warpsim_curand_uniforms

                        __warpsim_device double curand_uniform_double(curandStateXORWOW_t *state) {
    unsigned x = curand(state);
    return _curand_uniform_double_hq(x, curand(state));
}
__warpsim_device double curand_uniform_double(curandStateMRG32k3a_t *state) {
    return curand_MRG32k3a(state) * MRG32K3A_NORM;
}
__warpsim_device float curand_uniform(curandStateMRG32k3a_t *state) {
    return (float)curand_uniform_double(state);
}
__warpsim_device float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    return _curand_uniform4(curand4(state));
}
__warpsim_device double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}
__warpsim_device double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
    double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
