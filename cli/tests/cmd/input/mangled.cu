namespace sums {
template <typename T, unsigned N> __global__ void fold(const T *in, T *out) {
  out[threadIdx.x / 2] = in[threadIdx.x] + N;
}
template __global__ void fold<int, 64>(const int *, int *);
template __global__ void fold<float, 64>(const float *, float *);
}
