// One thread fills, all read: the barrier that is missing lies behind the branch, and no loop is around both accesses.
#include <cuda_runtime.h>
__global__ void k(int *out) {
  __shared__ int a[8];
  int t = threadIdx.x;
  if (t == 0)
    for (int w = 0; w < 8; ++w) a[w] = w;
#ifdef FIXED
  __syncthreads();
#endif
  out[t] = a[t & 7]; // (after)
}
int main() { int *o; cudaMalloc(&o, 256); k<<<1, 64>>>(o); cudaFree(o); }
