// The runtime API for C++, with vectors and the language (CUDA Runtime API reference and CUDA C++
// Programming Guide, version 12.9). Where CUDA is compiled this is what is included before each
// file; a host compiler sees what hosts have.
#if defined(__CUDA__) && defined(__clang__)
#include "warpsim_cuda.h"
#endif
#if !defined(__CUDA_RUNTIME_H__)
#define __CUDA_RUNTIME_H__
#include "crt/host_config.h"
#include "builtin_types.h"
#include "library_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"
#if !defined(__CUDA__)
#include "device_launch_parameters.h"
#endif
#include "warpsim/runtime.h"
#if !defined(__CUDA__)
#include "warpsim/texture_references.h"
#endif
#endif
