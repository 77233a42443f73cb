// What the runtime API has for C++ (CUDA Runtime API reference, version 12.9, "C++ API Routines";
// the overloads of version 13, too): pointers of any type, symbols and kernels by their names.
#pragma once
#include "../cuda_runtime_api.h"
#if defined(__cplusplus)

// Memory.
template <class T> __warpsim_host cudaError_t cudaMalloc(T **p, size_t bytes) {
    return cudaMalloc((void **)(void *)p, bytes);
}
template <class T>
__warpsim_host cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
__warpsim_host cudaError_t cudaMallocHost(void **p, size_t bytes, unsigned flags) {
    return cudaHostAlloc(p, bytes, flags);
}
template <class T>
__warpsim_host cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned flags = 0) {
    return cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T> __warpsim_host cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags) {
    return cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T>
__warpsim_host cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned flags) {
    return cudaHostGetDevicePointer((void **)(void *)p, host, flags);
}
template <class T>
__warpsim_host cudaError_t cudaMallocManaged(T **p, size_t bytes,
                                             unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)(void *)p, bytes, flags);
}
template <class T>
__warpsim_host cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync((void **)(void *)p, bytes, stream);
}
__warpsim_host cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
    return cudaMallocFromPoolAsync(p, bytes, pool, stream);
}
template <class T>
__warpsim_host cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}
template <class T>
__warpsim_host cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool,
                                                   cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}
template <class T>
__warpsim_host cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t bytes = 0,
                                                    unsigned flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(stream, (void *)p, bytes, flags);
}
template <class T>
__warpsim_host cudaError_t cudaMemAdvise(T *p, size_t bytes, enum cudaMemoryAdvise advice,
                                         struct cudaMemLocation location) {
    return cudaMemAdvise_v2((const void *)p, bytes, advice, location);
}
template <class T>
__warpsim_host cudaError_t cudaMemPrefetchAsync(T *p, size_t bytes, struct cudaMemLocation location,
                                                unsigned flags, cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync_v2((const void *)p, bytes, location, flags, stream);
}

// Copies in batches, with and without the index of what failed (versions 12 and 13).
template <class T, class U>
__warpsim_host cudaError_t cudaMemcpyBatchAsync(T **to, U **from, size_t *bytes, size_t count,
                                                struct cudaMemcpyAttributes *how, size_t *first,
                                                size_t hows, size_t *failed, cudaStream_t stream) {
    return cudaMemcpyBatchAsync((void **)to, (void **)from, bytes, count, how, first, hows, failed,
                                stream);
}
template <class T, class U>
__warpsim_host cudaError_t cudaMemcpyBatchAsync(T **to, U **from, size_t *bytes, size_t count,
                                                struct cudaMemcpyAttributes how, size_t *failed,
                                                cudaStream_t stream) {
    size_t first = 0;
    return cudaMemcpyBatchAsync((void **)to, (void **)from, bytes, count, &how, &first, 1, failed,
                                stream);
}
template <class T, class U>
__warpsim_host cudaError_t cudaMemcpyBatchAsync(T *const *to, U *const *from, const size_t *bytes,
                                                size_t count, struct cudaMemcpyAttributes *how,
                                                size_t *first, size_t hows, cudaStream_t stream) {
    size_t failed = 0;
    return cudaMemcpyBatchAsync((void **)to, (void **)from, (size_t *)bytes, count, how, first,
                                hows, &failed, stream);
}
template <class T, class U>
__warpsim_host cudaError_t cudaMemcpyBatchAsync(T *const *to, U *const *from, const size_t *bytes,
                                                size_t count, struct cudaMemcpyAttributes how,
                                                cudaStream_t stream) {
    size_t first = 0, failed = 0;
    return cudaMemcpyBatchAsync((void **)to, (void **)from, (size_t *)bytes, count, &how, &first, 1,
                                &failed, stream);
}
template <class T>
__warpsim_host cudaError_t cudaMemPrefetchBatchAsync(T **all, size_t *bytes, size_t count,
                                                     struct cudaMemLocation *locations,
                                                     size_t *first, size_t n,
                                                     unsigned long long flags,
                                                     cudaStream_t stream) {
    return cudaMemPrefetchBatchAsync((void **)all, bytes, count, locations, first, n, flags,
                                     stream);
}
template <class T>
__warpsim_host cudaError_t cudaMemPrefetchBatchAsync(T **all, size_t *bytes, size_t count,
                                                     struct cudaMemLocation location,
                                                     unsigned long long flags,
                                                     cudaStream_t stream) {
    size_t first = 0;
    return cudaMemPrefetchBatchAsync((void **)all, bytes, count, &location, &first, 1, flags,
                                     stream);
}
template <class T>
__warpsim_host cudaError_t cudaMemDiscardAndPrefetchBatchAsync(T **all, size_t *bytes, size_t count,
                                                               struct cudaMemLocation *locations,
                                                               size_t *first, size_t n,
                                                               unsigned long long flags,
                                                               cudaStream_t stream) {
    return cudaMemDiscardAndPrefetchBatchAsync((void **)all, bytes, count, locations, first, n,
                                               flags, stream);
}
template <class T>
__warpsim_host cudaError_t cudaMemDiscardAndPrefetchBatchAsync(T **all, size_t *bytes, size_t count,
                                                               struct cudaMemLocation location,
                                                               unsigned long long flags,
                                                               cudaStream_t stream) {
    size_t first = 0;
    return cudaMemDiscardAndPrefetchBatchAsync((void **)all, bytes, count, &location, &first, 1,
                                               flags, stream);
}

// Symbols: variables of the device, by their names.
template <class T>
__warpsim_host cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                              size_t offset = 0,
                                              enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
__warpsim_host cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                                size_t offset = 0,
                                                enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
__warpsim_host cudaError_t cudaMemcpyToSymbolAsync(
    const T &symbol, const void *from, size_t bytes, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
__warpsim_host cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const T &symbol, size_t bytes, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> __warpsim_host cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> __warpsim_host cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

// Launches.
template <class T>
__warpsim_host cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                            size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <class T>
__warpsim_host cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block,
                                                       void **arguments, size_t shared = 0,
                                                       cudaStream_t stream = 0) {
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared,
                                       stream);
}
// Each argument becomes a parameter of the kernel's type first.
template <class... P, class... A>
__warpsim_host cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                              void (*kernel)(P...), A &&...arguments) {
    return [&](P... each) {
        void *all[] = {(void *)&each..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)kernel, all);
    }(static_cast<A &&>(arguments)...);
}
template <class... A>
__warpsim_host cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                              const cudaKernel_t kernel, A &&...arguments) {
    void *all[] = {(void *)&arguments..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, all);
}
template <class T>
__warpsim_host cudaError_t cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute attribute,
                                                int value) {
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T>
__warpsim_host cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *all, T *kernel) {
    return cudaFuncGetAttributes(all, (const void *)kernel);
}
template <class T>
__warpsim_host cudaError_t cudaFuncSetCacheConfig(T *kernel, enum cudaFuncCache config) {
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T>
__warpsim_deprecated __warpsim_host cudaError_t
cudaFuncSetSharedMemConfig(T *kernel, enum cudaSharedMemConfig config) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return cudaFuncSetSharedMemConfig((const void *)kernel, config);
#pragma GCC diagnostic pop
}
template <class T> __warpsim_host cudaError_t cudaFuncGetName(const char **name, T *kernel) {
    return cudaFuncGetName(name, (const void *)kernel);
}
template <class T> __warpsim_host cudaError_t cudaGetKernel(cudaKernel_t *of, T *kernel) {
    return cudaGetKernel(of, (const void *)kernel);
}
template <class T>
__warpsim_host cudaError_t cudaLibraryGetGlobal(T **p, size_t *bytes, cudaLibrary_t library,
                                                const char *name) {
    return cudaLibraryGetGlobal((void **)(void *)p, bytes, library, name);
}
template <class T>
__warpsim_host cudaError_t cudaLibraryGetManaged(T **p, size_t *bytes, cudaLibrary_t library,
                                                 const char *name) {
    return cudaLibraryGetManaged((void **)(void *)p, bytes, library, name);
}
template <class T>
__warpsim_host cudaError_t cudaLibraryGetUnifiedFunction(T **f, cudaLibrary_t library,
                                                         const char *name) {
    return cudaLibraryGetUnifiedFunction((void **)(void *)f, library, name);
}

__warpsim_host cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}
#include "runtime/graph_routines.h"
#include "runtime/overloads_13.h"
#include "runtime/occupancy_routines.h"
#endif
