// A barrier that half of a warp's threads reach, beside one that all reach, and a read that nothing orders: findings tell these lines.
#include <cuda_runtime.h>
__global__ void halves(int *out) {
    __shared__ int box;
    if (threadIdx.x == 0) box = 1;
    __syncthreads();
#ifdef WRONG
    if (threadIdx.x < 16) __syncthreads(); // DIVERGES
#endif
    out[threadIdx.x] = box;
}
__global__ void unordered(int *out) {
    __shared__ int cells[64];
    cells[threadIdx.x] = threadIdx.x;
#ifndef WRONG
    __syncthreads();
#endif
    out[threadIdx.x] = cells[63 - threadIdx.x]; // READS
}
int main() {
    int *o;
    cudaMalloc(&o, 256);
    halves<<<1, 32>>>(o);
    unordered<<<1, 64>>>(o);
    cudaDeviceSynchronize();
    cudaFree(o);
}
