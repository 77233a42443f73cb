// what: bytes of one word written by different threads are different places; in `bad` even threads write two bytes, the second of which is their neighbour's
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// expect bad: race
// expect bad_word: race
// expect good: clean
// expect good_halves: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ __align__(4) unsigned char bytes[64];
    int t = threadIdx.x;
    if (t % 2 == 0)
        *(unsigned short *)(bytes + t) = in[t];
    else
        bytes[t] = in[t];
    __syncthreads();
    out[t] = bytes[t];
}

// One thread in four clears the word, without a barrier before the others set bytes of it.
extern "C" __global__ void bad_word(const int *in, int *out)
{
    __shared__ __align__(4) unsigned char bytes[64];
    int t = threadIdx.x;
    if (t % 4 == 0)
        *(unsigned *)(bytes + t) = in[t];
    else
        bytes[t] = in[t];
    __syncthreads();
    out[t] = bytes[t];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ __align__(4) unsigned char bytes[64];
    int t = threadIdx.x;
    bytes[t] = in[t];
    __syncthreads();
    out[t] = bytes[t];
}

// Two bytes by every thread, and words read only after the barrier.
extern "C" __global__ void good_halves(const int *in, int *out)
{
    __shared__ __align__(4) unsigned short halves[64];
    int t = threadIdx.x;
    halves[t] = in[t];
    __syncthreads();
    out[t] = *(unsigned *)(halves + t / 2 * 2);
}
