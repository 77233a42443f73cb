// What programs have come to rely on: guards of headers, kernels as `void *`, functions that were renamed, `register`,
// macros right behind literals, names that helpers of samples use. Prints a line where all is as they believe.
#include <cuda_runtime.h>
#include <cstdio>

#if !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || !defined(__DRIVER_TYPES_H__) ||                 \
    !defined(__VECTOR_TYPES_H__) || !defined(__VECTOR_FUNCTIONS_H__) || !defined(__DEVICE_LAUNCH_PARAMETERS_H__)
#error "a header of the runtime is not known by its guard"
#endif
#if defined(__cuda_cuda_h__)
#error "the driver API is known before it was asked for"
#endif
#include <cuda.h>
#if !defined(__cuda_cuda_h__) || CUDA_VERSION != 12090 || CUDART_VERSION != 12090
#error "the driver API is not known by its guard, or these are not of version 12.9"
#endif
#if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ != 12 || __CUDACC_VER_MINOR__ != 9
#error "the language is not that of version 12.9"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != __CUDA_ARCH_LIST__
#error "the architecture is not in the list"
#endif

#define KEPT "habits"

__global__ void put(int *p) {
    register int own = 7;
    p[threadIdx.x] = own;
}

int main() {
    int wrong = 0, grid = 0, block = 0, mode = -1;
    wrong += cudaOccupancyMaxPotentialBlockSize(&grid, &block, (void *)put, 0, 0) != cudaSuccess || block <= 0 || grid <= 0;
    int least = 0, same = 0;
    wrong += cudaOccupancyMaxPotentialBlockSize(&least, &same, put) != cudaSuccess || same != block || least != grid;
    wrong += cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0) != cudaSuccess || mode != cudaComputeModeDefault;
    wrong += cudaComputeModeProhibited != 2 || cudaComputeModeExclusiveProcess != 3;
    int *p;
    wrong += cudaMallocManaged(&p, 32 * sizeof(int)) != cudaSuccess;
    put<<<1, 32>>>(p);
    wrong += cudaThreadSynchronize() != cudaSuccess;
    for (int i = 0; i < 32; i++) wrong += p[i] != 7;
    wrong += cudaFree(p) != cudaSuccess;
    cudaThreadExit();
    if (!wrong) puts(""KEPT" are kept");
    return wrong != 0;
}
