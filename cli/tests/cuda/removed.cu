extern "C" __global__ void k(int *out) {
  __shared__ int last;
  last = threadIdx.x;
  out[threadIdx.x] = last;
}
