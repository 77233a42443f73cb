template <class T> __global__ void generic(T *out) { out[threadIdx.x] = 1; }
