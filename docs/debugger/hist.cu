// Counts bytes: each block in shared memory first, then all blocks in `bins`.
extern "C" __global__ void hist(const unsigned char *in, int n, unsigned *bins) {
  __shared__ unsigned s[16];
  if (threadIdx.x < 16)
    s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&s[in[i] & 15], 1);
  if (threadIdx.x < 16)
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
