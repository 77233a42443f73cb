// Launches that never run and a copy to what the host has for a variable: nobody looks. -D ASKED looks.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
__constant__ float coefficients[4];

int main() {
  int *p;
  float c[4] = {1, 1, 1, 1};
  if (cudaMalloc(&p, 4096) != cudaSuccess) return 2;
  fill<<<1, 2048>>>(p); // failure 1
#ifdef ASKED
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
#endif
  fill<<<dim3(1, 70000), 32>>>(p); // failure 2
  cudaMemcpy((void *)coefficients, c, sizeof c, cudaMemcpyHostToDevice); // failure 3
#ifdef ASKED
  if (cudaGetLastError() == cudaSuccess) return 3;
#endif
  return cudaFree(p) != cudaSuccess;
}
