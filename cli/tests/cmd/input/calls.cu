__device__ __noinline__ int twice(int v) {
  return v + v;
}
extern "C" __global__ void k(int *p) {
  int i = threadIdx.x;
  if (i > 3)
    p[i] = twice(p[i] * 3);
  p[i] = twice(p[i]) + p[i + 1];
}
