// One wait is missing between two launches; the second reads what the first writes by four loads.
#include <cuda_runtime.h>
template <typename T, int A, int B, int C> struct a_policy_with_a_long_name_that_goes_on {};
__global__ void fill(float *p, float v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v; }
template <typename P, typename Q> __global__ void sums_of_several(const float *p, float *o) {
  int t = threadIdx.x; float s = 0;
  s += p[t]; s *= p[t + 64]; s += p[t + 128]; s *= p[t + 192];
  o[t] = s;
}
int main() {
  float *a, *o; cudaMalloc(&a, 4096); cudaMalloc(&o, 4096); cudaMemset(a, 0, 4096); cudaDeviceSynchronize();
  cudaStream_t s, u; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking);
  fill<<<4, 64, 0, s>>>(a, 3);
#ifdef FIXED
  cudaStreamSynchronize(s);
#endif
  sums_of_several<a_policy_with_a_long_name_that_goes_on<float, 1, 2, 3>, a_policy_with_a_long_name_that_goes_on<double, 1, 2, 3>><<<1, 64, 0, u>>>(a, o);
  cudaDeviceSynchronize(); cudaFree(a); cudaFree(o); cudaStreamDestroy(s); cudaStreamDestroy(u);
}
