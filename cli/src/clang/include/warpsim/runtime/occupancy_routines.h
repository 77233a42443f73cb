// Occupancy for C++ (CUDA Runtime API reference, version 12.9, "C++ API Routines"). A kernel is
// what points to it, of any type: `void *`, too.
#pragma once

template <class T>
__warpsim_host cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel,
                                                                         int threads,
                                                                         size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                         shared);
}
template <class T>
__warpsim_host cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, T kernel, int threads, size_t shared, unsigned flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel,
                                                                  threads, shared, flags);
}
// The block with which most threads are resident: the largest of those, by warps. `shared_of` is
// asked for the bytes of shared memory that a block of so many threads needs.
template <class F, class T>
__warpsim_host cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *blocks, int *threads, T kernel, F shared_of, int limit = 0, unsigned flags = 0) {
    if (!blocks || !threads || !kernel) return cudaErrorInvalidValue;
    int device = 0, processors = 0, most = 0, warp = 32;
    struct cudaFuncAttributes of;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&of, (const void *)kernel);
    if (error != cudaSuccess) return error;
    if (limit <= 0 || limit > of.maxThreadsPerBlock) limit = of.maxThreadsPerBlock;
    *blocks = *threads = 0;
    for (int size = limit; size > 0; size = (size - 1) / warp * warp) {
        int resident = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &resident, (const void *)kernel, size, shared_of(size), flags);
        if (error != cudaSuccess) return error;
        if (resident * size > most) {
            most = resident * size;
            *threads = size;
            *blocks = resident * processors;
        }
    }
    return cudaSuccess;
}
template <class F, class T>
__warpsim_host cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *blocks, int *threads,
                                                                          T kernel, F shared_of,
                                                                          int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(blocks, threads, kernel,
                                                                   shared_of, limit);
}
template <class T>
__warpsim_host cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads,
                                                                       T kernel, size_t shared = 0,
                                                                       int limit = 0,
                                                                       unsigned flags = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        blocks, threads, kernel, [shared](int) { return shared; }, limit, flags);
}
template <class T>
__warpsim_host cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, T kernel,
                                                              size_t shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(blocks, threads, kernel, shared, limit);
}
template <class T>
__warpsim_host cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel,
                                                                     int blocks, int threads) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, threads);
}
template <class T>
__warpsim_host cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel,
                                                                const cudaLaunchConfig_t *config) {
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
template <class T>
__warpsim_host cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel,
                                                          const cudaLaunchConfig_t *config) {
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
