// Numbers of a discrete distribution whose tables the host API has made (cuRAND guide, "Device API
// for discrete distributions").
//
// curand_discrete.h names the method. A distribution without tables is a rounded normal one.
#pragma once
#include "curand_discrete.h"
#include "curand_poisson.h"

template <class T>
__warpsim_device unsigned int _curand_M2_double(T x, curandDistributionM2Shift_t tables) {
    double u = _curand_uniform_double(x);
    // 1 belongs to the last one.
    unsigned j = (unsigned)(tables->length * u), last = tables->length - 1;
    j = j < last ? j : last;
    return tables->shift + (u < tables->histogram->V[j] ? j : tables->histogram->K[j]);
}
__warpsim_device unsigned int __warpsim_discrete_rounded(curandDiscreteDistribution_t of,
                                                         double normal) {
    return (unsigned)(fma(of->stddev, normal, of->mean) + 0.5);
}
#define __warpsim_curand_discrete(name)                                                           \
    __warpsim_device unsigned int curand_discrete(name *state, curandDiscreteDistribution_t of) { \
        if (of->method == CURAND_M2) return _curand_M2_double(curand(state), of->M2);             \
        return __warpsim_discrete_rounded(of, curand_normal_double(state));                       \
    }
__warpsim_curand_discrete(curandStateXORWOW_t) __warpsim_curand_discrete(curandStatePhilox4_32_10_t)
    __warpsim_curand_discrete(curandStateMRG32k3a_t) __warpsim_curand_discrete(curandStateSobol32_t)
        __warpsim_curand_discrete(curandStateScrambledSobol32_t)
            __warpsim_curand_discrete(curandStateSobol64_t)
                __warpsim_curand_discrete(curandStateScrambledSobol64_t)
#undef __warpsim_curand_discrete

                    __warpsim_device uint4
    curand_discrete4(curandStatePhilox4_32_10_t *state, curandDiscreteDistribution_t of) {
    if (of->method == CURAND_M2) {
        uint4 x = curand4(state);
        return make_uint4(_curand_M2_double(x.x, of->M2), _curand_M2_double(x.y, of->M2),
                          _curand_M2_double(x.z, of->M2), _curand_M2_double(x.w, of->M2));
    }
    double4 x = curand_normal4_double(state);
    return make_uint4(__warpsim_discrete_rounded(of, x.x), __warpsim_discrete_rounded(of, x.y),
                      __warpsim_discrete_rounded(of, x.z), __warpsim_discrete_rounded(of, x.w));
}
