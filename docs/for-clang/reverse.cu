// Reverses 64 numbers through shared memory. RACY leaves out the barrier.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void reverse(int *x) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = x[t];
#ifndef RACY
  __syncthreads();
#endif
  x[t] = part[63 - t];
}

int main() {
  int *x;
  cudaMallocManaged(&x, 64 * sizeof(int));
  for (int i = 0; i < 64; i++)
    x[i] = i;
  reverse<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  printf("%d ... %d\n", x[0], x[63]);
  cudaFree(x);
}
