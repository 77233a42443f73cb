// What the files of the project know of each other.
#pragma once
#include <cuda_runtime.h>

// kernels.cu
void areas(const float *sides, float *results, int n);
float sum_of_products(const float *a, const float *b, int n);
// shapes.cu: how many of so many random numbers are below a half
int below_a_half(int n);

#ifdef __CUDACC__
// kernels.cu
__global__ void count_below(int *count, int n);
// shapes.cu
__device__ float area(float side);
extern __device__ int calls;
// numbers.cu, in the library
__device__ float square(float x);
#endif
