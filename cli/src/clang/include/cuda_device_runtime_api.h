// The runtime API of device code (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Conditional
// Graph Nodes"): what decides which graph follows. Kernels start no kernels here.
#if !defined(__CUDA_DEVICE_RUNTIME_API_H__)
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "crt/host_defines.h"
#include "driver_types.h"
#if defined(__CUDA__)
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
#endif
#endif
