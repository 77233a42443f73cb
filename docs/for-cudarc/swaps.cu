// Reverses `n` numbers in place. RACY has each thread overwrite what another one reads.
extern "C" __global__ void swaps(float *x, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RACY
  if (i < n)
    x[i] = x[n - 1 - i];
#else
  if (i < n / 2) {
    float first = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = first;
  }
#endif
}
