// cuRAND's device API (cuRAND Library Programming Guide, "Device API Overview").
//
// XORWOW, MRG32k3a, Philox4x32-10 and the four generators of Sobol's sequences, by the papers that
// their headers name. Numbers and uniform numbers are those of cuRAND. MTGP32 is missing: its type
// is declared without a body, so that its use is an error of the compiler that names it.
#pragma once
#include "curand.h"
#include "curand_globals.h"
#include "warpsim/curand_common.h"
#include "warpsim/curand_xorwow.h"
#include "curand_mrg32k3a.h"
#include "curand_philox4x32_x.h"
#include "warpsim/curand_sobol.h"
typedef struct curandStateMtgp32 curandStateMtgp32_t;

// What a host compiler does not know: it reads the states alone.
#if defined(__CUDA__)
#include "curand_uniform.h"
#include "curand_normal.h"
#include "curand_lognormal.h"
#include "curand_poisson.h"
#include "curand_discrete2.h"
#endif
