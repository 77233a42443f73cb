// What the states of cuRAND's device API share.
#pragma once

// A host compiler reads the functions, for the states are declared between them, and calls none.
#ifndef __warpsim_device
#include "../crt/host_defines.h"
#include <math.h>
#define __warpsim_device static __inline__
#endif

// How programs of cuRAND's own family declare their functions.
#ifndef QUALIFIERS
#define QUALIFIERS static __forceinline__ __device__
#endif

// The second number of a pair from the method of Box and Muller, and which of the distributions it
// belongs to.
#define EXTRA_FLAG_NORMAL 1
#define EXTRA_FLAG_LOG_NORMAL 2
#define __warpsim_curand_extra                 \
    int boxmuller_flag, boxmuller_flag_double; \
    float boxmuller_extra;                     \
    double boxmuller_extra_double;
