// A mistake in a header.
__device__ int half(int x) { return x / two; }
