// Two dynamic shared arrays that lie at one address.
#include <cstdio>
#include <cuda_runtime.h>
// two dynamic arrays declared extern: both begin at the same address
extern __shared__ int keys[];
#ifndef FIXED
extern __shared__ float weights[];
#endif
__global__ void weigh(const int *k, const float *w, float *out, int n) {
#ifdef FIXED
  float *weights = (float *)(keys + n);
#endif
  int t = threadIdx.x;
  keys[t] = k[t];
  weights[t] = w[t];
  __syncthreads();
  int o = n - 1 - t;
  out[t] = keys[o] * weights[o];
}
int main() {
  const int n = 64; int hk[n]; float hw[n], h[n]; int *k; float *w, *o;
  for (int i = 0; i < n; ++i) { hk[i] = i; hw[i] = 0.5f; }
  cudaMalloc(&k, 256); cudaMalloc(&w, 256); cudaMalloc(&o, 256);
  cudaMemcpy(k, hk, 256, cudaMemcpyHostToDevice); cudaMemcpy(w, hw, 256, cudaMemcpyHostToDevice);
  weigh<<<1, n, n * (sizeof(int) + sizeof(float))>>>(k, w, o, n);
  cudaMemcpy(h, o, 256, cudaMemcpyDeviceToHost);
  printf("%g (31.5 is right)\n", h[0]);
  cudaFree(k); cudaFree(w); cudaFree(o);
}
