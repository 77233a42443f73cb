// One thread scans, all read: the barrier belongs between the two, and not behind the second.
#include <cuda_runtime.h>
__global__ void k(unsigned *out, int n) {
  __shared__ unsigned a[32];
  int t = threadIdx.x;
  if (t < 32) a[t] = t;
  __syncthreads();
  if (t == 0) {
    unsigned run = 0;
    for (int w = 0; w < n; ++w) { unsigned x = a[w]; a[w] = run; run += x; }
  }
#ifdef FIXED
  __syncthreads();
#endif
  out[t] = a[t / 32]; // (after)
}
int main() { unsigned *o; cudaMalloc(&o, 512); k<<<1, 128>>>(o, 4); cudaFree(o); }
