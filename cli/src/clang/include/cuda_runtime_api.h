// The runtime API for C and C++ (CUDA Runtime API reference, version 12.9): the functions, by its chapters. What the library
// lacks answers `cudaErrorNotSupported`. `CUDA_API_PER_THREAD_DEFAULT_STREAM` before the first header gives each thread of the
// host a default stream of its own ("Stream synchronization behavior").
#if !defined(__CUDA_RUNTIME_API_H__)
#define __CUDA_RUNTIME_API_H__

#define CUDART_VERSION 12090
#if defined(__CUDA_API_VER_MAJOR__) && defined(__CUDA_API_VER_MINOR__)
#define __CUDART_API_VERSION (__CUDA_API_VER_MAJOR__ * 1000 + __CUDA_API_VER_MINOR__ * 10)
#else
#define __CUDART_API_VERSION CUDART_VERSION
#endif

#include "crt/host_defines.h"
#include "builtin_types.h"
#include "cuda_device_runtime_api.h"
#include "warpsim/launch.h"
#include "warpsim/runtime/names.h"
#define CUDART_DEVICE __device__

#include "warpsim/runtime/device_functions.h"
#include "warpsim/runtime/stream_functions.h"
#include "warpsim/runtime/execution_functions.h"
#include "warpsim/runtime/memory_functions.h"
#include "warpsim/runtime/pool_functions.h"
#include "warpsim/runtime/graph_functions.h"
#include "warpsim/runtime/functions_13.h"

__warpsim_begin_c
struct cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, enum cudaChannelFormatKind);
// Profiler Control.
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
__warpsim_end_c
#endif
