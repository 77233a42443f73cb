// What 64 bits do not hold.
__global__ void wide(const unsigned long long *in, unsigned long long *high) {
    high[threadIdx.x] = (unsigned __int128)in[threadIdx.x] * in[threadIdx.x] >> 64;
}
