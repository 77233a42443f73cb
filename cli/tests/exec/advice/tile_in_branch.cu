// A tile works together in a branch that a part of it takes: the call that the user wrote is what is told.
#include <cstdio>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
// a tile works together in a branch that a part of it takes
__global__ void tally(const int *x, int *out, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
  int s = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
  if (i < n && tile.thread_rank() == 0) atomicAdd(out, s);
#else
  if (i < n) { int s = cg::reduce(tile, x[i], cg::plus<int>()); if (tile.thread_rank() == 0) atomicAdd(out, s); }
#endif
}
int main() { const int n = 50; int h[n], r, *x, *o; for (int &v : h) v = 1; cudaMalloc(&x, sizeof h); cudaMalloc(&o, 4); cudaMemset(o, 0, 4); cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  tally<<<1, 64>>>(x, o, n); cudaError_t e = cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("%d %s\n", r, cudaGetErrorString(e)); cudaFree(x); cudaFree(o); }
