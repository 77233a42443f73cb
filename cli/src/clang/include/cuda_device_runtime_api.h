// The runtime API of device code (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism",
// "Programmatic Dependent Launch", "Conditional Graph Nodes"): what decides which graph follows, and
// how kernels of one stream overlap, kernels that start kernels.
#if !defined(__CUDA_DEVICE_RUNTIME_API_H__)
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "crt/host_defines.h"
#include "driver_types.h"
// Streams that are a manner of launching.
#define cudaStreamGraphTailLaunch ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
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
#define __warpsim_of_kernels                                                                       \
    extern "C" __device__ __inline__ __attribute__((always_inline, nodebug))
// No call of a kernel leaves an error behind, for none is late.
__warpsim_of_kernels cudaError_t cudaGetLastError() { return cudaSuccess; }
__warpsim_of_kernels cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
// The errors that calls of kernels can give.
__warpsim_of_kernels const char *cudaGetErrorName(cudaError_t error) {
    return error == cudaSuccess                 ? "cudaSuccess"
           : error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
           : error == cudaErrorInvalidValue     ? "cudaErrorInvalidValue"
                                                : "unrecognized error code";
}
__warpsim_of_kernels const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess                 ? "no error"
           : error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorInvalidValue     ? "invalid argument"
                                                : "unrecognized error code";
}
__warpsim_of_kernels cudaError_t cudaMalloc(void **p, size_t bytes) {
    *p = malloc(bytes);
    return *p || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T> __device__ __inline__ cudaError_t cudaMalloc(T **p, size_t bytes) {
    return cudaMalloc((void **)p, bytes);
}
__warpsim_of_kernels cudaError_t cudaFree(void *p) {
    free(p);
    return cudaSuccess;
}
__warpsim_of_kernels cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
__warpsim_of_kernels cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
__warpsim_of_kernels cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDA_VERSION;
    return cudaSuccess;
}
#undef __warpsim_of_kernels
// Launches of a grid follow each other in the order in which they were asked for, so that streams and
// events of kernels order nothing more.
extern "C" {
#define __warpsim_cdp(name) __asm__("__cudaCDP2" name)
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned)
    __warpsim_cdp("StreamCreateWithFlags");
__device__ cudaError_t cudaStreamDestroy(cudaStream_t) __warpsim_cdp("StreamDestroy");
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
    __warpsim_cdp("StreamWaitEvent");
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned)
    __warpsim_cdp("EventCreateWithFlags");
__device__ cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) __warpsim_cdp("EventRecord");
__device__ cudaError_t cudaEventDestroy(cudaEvent_t) __warpsim_cdp("EventDestroy");
// What is not there: programs that call one of these are told its name when their device code is
// linked.
__device__ cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
__device__ cudaError_t cudaDeviceGetLimit(size_t *, enum cudaLimit);
__device__ cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *);
__device__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
__device__ cudaError_t cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind,
                                       cudaStream_t);
__device__ cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
__device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int,
                                                                     size_t);
__device__ cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
__device__ cudaGraphExec_t cudaGetCurrentGraphExec();
#undef __warpsim_cdp
}
#include "warpsim/children.h"
#endif
#endif
