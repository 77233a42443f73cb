// A barrier of the grid whose blocks are not gathered before the first fence.
#include <cstdio>
#include <cuda_runtime.h>
__device__ void gridSync(volatile int *arrived, int goal) {
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x == 0) { // (before)
    __threadfence();
    atomicAdd((int *)arrived, 1);
    while (*arrived < goal) {}
    __threadfence();
  }
  __syncthreads();
}
__global__ void twoPhase(int *data, int *out, int *arrived) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = i * 3;
  gridSync(arrived, gridDim.x);
  out[i] = data[n - 1 - i];
}
int main() {
  int *d, *o, *a, h[256];
  cudaMalloc(&d, sizeof h); cudaMalloc(&o, sizeof h); cudaMalloc(&a, 4); cudaMemset(a, 0, 4);
  twoPhase<<<4, 64>>>(d, o, a);
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h[0], h[255]);
  cudaFree(d); cudaFree(o); cudaFree(a);
}
