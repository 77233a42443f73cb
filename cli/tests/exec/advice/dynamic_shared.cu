// A launch that forgets how much dynamic shared memory its blocks have.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void histo(const int *a, int *out, int bins) {
  extern __shared__ int cell[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) cell[b] = 0;
  __syncthreads();
  atomicAdd(&cell[a[threadIdx.x] % bins], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) out[b] = cell[b];
}
int main() {
  int h[128], *a, *o; for (int i = 0; i < 128; ++i) h[i] = i * i;
  cudaMalloc(&a, 512); cudaMalloc(&o, 36 * 4); cudaMemcpy(a, h, 512, cudaMemcpyHostToDevice);
#ifdef FIXED
  histo<<<1, 128, 36 * sizeof(int)>>>(a, o, 36);
#else
  histo<<<1, 128>>>(a, o, 36);
#endif
  cudaError_t e = cudaMemcpy(h, o, 36 * 4, cudaMemcpyDeviceToHost); printf("%d %s\n", h[0], cudaGetErrorString(e));
  cudaFree(a); cudaFree(o);
}
