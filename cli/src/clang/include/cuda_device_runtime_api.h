// The runtime API of device code (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism",
// "Programmatic Dependent Launch", "Conditional Graph Nodes"): what decides which graph follows, and
// how kernels of one stream overlap. Kernels start no kernels here.
#if !defined(__CUDA_DEVICE_RUNTIME_API_H__)
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "crt/host_defines.h"
#include "driver_types.h"
#if defined(__CUDA__)
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
// An architecture before sm_90 launches nothing early.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define __warpsim_dependents(name, text)                                                           \
    extern "C" __device__ __inline__ __attribute__((always_inline)) void name() {                  \
        __asm__ volatile(text : : : "memory");                                                     \
    }
#else
#define __warpsim_dependents(name, text)                                                           \
    extern "C" __device__ __inline__ __attribute__((always_inline)) void name() {}
#endif
__warpsim_dependents(cudaGridDependencySynchronize, "griddepcontrol.wait;")
__warpsim_dependents(cudaTriggerProgrammaticLaunchCompletion, "griddepcontrol.launch_dependents;")
#undef __warpsim_dependents
#endif
#endif
