// How these headers declare what C and C++ share.
#pragma once
#include <stddef.h>

#if defined(__cplusplus)
#define __warpsim_begin_c extern "C" {
#define __warpsim_end_c }
// The value of a parameter that a call leaves out: C++ alone has such.
#define __warpsim_or(value) = value
#else
#define __warpsim_begin_c
#define __warpsim_end_c
#define __warpsim_or(value)
#endif

// `CUDA_ENABLE_DEPRECATED` takes the warnings away, as in NVIDIA's headers.
#if defined(CUDA_ENABLE_DEPRECATED)
#define __warpsim_deprecated
#else
#define __warpsim_deprecated __attribute__((deprecated))
#endif
