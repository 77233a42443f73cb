// Log-normal numbers of cuRAND's device API: exp(mean + stddev * normal) (cuRAND guide,
// "Distributions").
//
// Where numbers come in pairs, the second is kept as it comes out for the mean and the deviation of
// the first one's call.
#pragma once
#include "curand_normal.h"

__warpsim_device float __warpsim_curand_log(float x, float mean, float stddev) {
    return expf(fmaf(stddev, x, mean));
}
__warpsim_device double __warpsim_curand_log(double x, double mean, double stddev) {
    return exp(fma(stddev, x, mean));
}

#define __warpsim_curand_of(x) __warpsim_curand_log(x, mean, stddev)
#define __warpsim_curand_log_normal(name, T, suffix)                                               \
    __warpsim_device T curand_log_normal##suffix(name *state, T mean,                              \
                                                 T stddev){__warpsim_curand_one(                   \
        state, T, suffix, EXTRA_FLAG_LOG_NORMAL,                                                   \
        __warpsim_curand_of)} __warpsim_device T##2 curand_log_normal2##suffix(name *state,        \
                                                                               T mean, T stddev) { \
        T##2 pair = curand_box_muller##suffix(state);                                              \
        return make_##T##2(__warpsim_curand_of(pair.x), __warpsim_curand_of(pair.y));              \
    }
#define __warpsim_curand_log_normals(name) \
    __warpsim_curand_log_normal(name, float, ) __warpsim_curand_log_normal(name, double, _double)
__warpsim_curand_log_normals(curandStateXORWOW_t)
    __warpsim_curand_log_normals(curandStatePhilox4_32_10_t)
        __warpsim_curand_log_normals(curandStateMRG32k3a_t)
#undef __warpsim_curand_log_normal
#undef __warpsim_curand_log_normals

#define __warpsim_curand_log_normal4(T, suffix)                                                 \
    __warpsim_device T##4 curand_log_normal4##suffix(curandStatePhilox4_32_10_t *state, T mean, \
                                                     T stddev) {                                \
        T##4 x = curand_normal4##suffix(state);                                                 \
        return make_##T##4(__warpsim_curand_of(x.x), __warpsim_curand_of(x.y),                  \
                           __warpsim_curand_of(x.z), __warpsim_curand_of(x.w));                 \
    }
            __warpsim_curand_log_normal4(float, ) __warpsim_curand_log_normal4(double, _double)
#undef __warpsim_curand_log_normal4

#define __warpsim_curand_log_inverse(name)                                                      \
    __warpsim_device float curand_log_normal(name *state, float mean, float stddev) {           \
        return __warpsim_curand_of(curand_normal(state));                                       \
    }                                                                                           \
    __warpsim_device double curand_log_normal_double(name *state, double mean, double stddev) { \
        return __warpsim_curand_of(curand_normal_double(state));                                \
    }
                __warpsim_curand_log_inverse(curandStateSobol32_t)
                    __warpsim_curand_log_inverse(curandStateScrambledSobol32_t)
                        __warpsim_curand_log_inverse(curandStateSobol64_t)
                            __warpsim_curand_log_inverse(curandStateScrambledSobol64_t)
#undef __warpsim_curand_log_inverse
#undef __warpsim_curand_of
