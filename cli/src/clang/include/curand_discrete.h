// What `curandDiscreteDistribution_t` points to: tables in device memory that the host API has
// made.
//
// Document: the cuRAND guide names the type alone. The method is that of Marsaglia, Tsang and Wang
// ("Fast Generation of Discrete Random Variables", Journal of Statistical Software 11, 2004,
// "Method III: Squaring the histogram").
#pragma once
#include "curand.h"

struct curandHistogramM2_st {
    curandHistogramM2V_t V, host_V;
    curandHistogramM2K_t K, host_K;
    unsigned int host_gen;
};
struct curandDistributionShift_st {
    curandDistribution_t probability, host_probability;
    unsigned int shift, length, host_gen;
};
struct curandDistributionM2Shift_st {
    curandHistogramM2_t histogram, host_histogram;
    unsigned int shift, length, host_gen;
};
struct curandDiscreteDistribution_st {
    curandDiscreteDistribution_t self_host_ptr;
    curandDistributionM2Shift_t M2, host_M2;
    double stddev, mean;
    curandMethod_t method;
    unsigned int host_gen;
};
