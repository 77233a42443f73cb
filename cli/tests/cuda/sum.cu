// The sum of an array, with the host code that launches it on a GPU.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(const int *in, int n, int *total) {
    __shared__ int cells[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) cells[threadIdx.x] += cells[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, cells[0]);
}

#ifndef __CUDACC_RTC__
int main() {
    int *memory;
    cudaMalloc(&memory, 4096);
    sum<<<4, 128>>>(memory, 500, memory + 512);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
