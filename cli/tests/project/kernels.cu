#include "project.h"
#include <cublas_v2.h>
#include <curand_kernel.h>

static __device__ float factor = 10;
__managed__ int launches = 0;

__global__ void area_of_each(const float *sides, float *results, int n) {
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? sides[i] : 0;
#ifndef RACY
    __syncthreads();
#endif
    // Each takes the number of its neighbour.
    if (i < n) results[i] = factor * area(tile[threadIdx.x ^ 1]);
    if (i == 0) launches++;
}

void areas(const float *sides, float *results, int n) {
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, sides, n * sizeof(float), cudaMemcpyHostToDevice);
    launches = 41;
    area_of_each<<<(n + 63) / 64, 64>>>(in, out, n);
    cudaMemcpy(results, out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    int counted = 0;
    cudaMemcpyFromSymbol(&counted, calls, sizeof counted);
    // What the kernel counted is told in the last result, as a number that no area is.
    if (counted != n || launches != 42) results[n - 1] = -1;
    cudaFree(in);
    cudaFree(out);
}

float sum_of_products(const float *a, const float *b, int n) {
    float *x, *y, result = 0;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetVector(n, sizeof(float), a, 1, x, 1);
    cublasSetVector(n, sizeof(float), b, 1, y, 1);
    cublasSdot(handle, n, x, 1, y, 1, &result);
    cublasDestroy(handle);
    cudaFree(x);
    cudaFree(y);
    return result;
}

__global__ void count_below(int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    curandStatePhilox4_32_10_t state;
    curand_init(1234, i, 0, &state);
    if (curand_uniform(&state) < 0.5f) atomicAdd(count, 1);
}
