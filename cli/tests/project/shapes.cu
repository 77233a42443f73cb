#include "project.h"

__device__ int calls;
// Another file has one of this name.
static __device__ float factor = 2;

__device__ float area(float side) {
    atomicAdd(&calls, 1);
    return factor * square(side);
}

// The kernel is in another file.
int below_a_half(int n) {
    int *count, result = 0;
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    count_below<<<(n + 127) / 128, 128>>>(count, n);
    cudaMemcpy(&result, count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(count);
    return result;
}
