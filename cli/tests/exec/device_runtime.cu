// What the device runtime answers without launches: memory of kernels, errors, versions. Prints a line where
// all is as documented.
#include <cuda_runtime.h>
#include <cstdio>

__host__ __device__ bool is(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

__global__ void asked(int *wrong) {
    int count = 0, device = -1, version = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) atomicAdd(wrong, 1);
    if (cudaGetDevice(&device) != cudaSuccess || device != 0) atomicAdd(wrong, 1);
    if (cudaRuntimeGetVersion(&version) != cudaSuccess || version != CUDART_VERSION) atomicAdd(wrong, 1);
    int *own = nullptr;
    if (cudaMalloc(&own, 64 * sizeof(int)) != cudaSuccess || !own) atomicAdd(wrong, 1);
    for (int i = 0; i < 64; i++) own[i] = i;
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += own[i];
    if (sum != 64 * 63 / 2 || cudaFree(own) != cudaSuccess) atomicAdd(wrong, 1);
    if (!is(cudaGetErrorString(cudaSuccess), "no error")) atomicAdd(wrong, 1);
    if (!is(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation")) atomicAdd(wrong, 1);
    if (cudaPeekAtLastError() != cudaSuccess || cudaGetLastError() != cudaSuccess) atomicAdd(wrong, 1);
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
}

int main() {
    int *device, host = 0;
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
    asked<<<2, 33>>>(device);
    if (cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    // The host's answer is one about itself, by the same words.
    if (host != 0 || !is(cudaGetErrorString(cudaSuccess), "no error")) return printf("%d wrong\n", host);
    printf("the device runtime answers\n");
    return 0;
}
