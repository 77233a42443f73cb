// what: a tile in shared memory that every round of a loop fills anew: without the second barrier the next round overwrites what others still read
// launch: --block 64
// arg: s32[256]=iota
// arg: s32[64]
// arg: 4
// expect bad: race
// expect bad_no_first: race
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out, int rounds)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < rounds; round++) {
        tile[t] = in[round * 64 + t];
        __syncthreads();
        for (int k = 0; k < 64; k += 16)
            sum += tile[(t + k) % 64];
    }
    out[t] = sum;
}

extern "C" __global__ void bad_no_first(const int *in, int *out, int rounds)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < rounds; round++) {
        tile[t] = in[round * 64 + t];
        for (int k = 0; k < 64; k += 16)
            sum += tile[(t + k) % 64];
        __syncthreads();
    }
    out[t] = sum;
}

extern "C" __global__ void good(const int *in, int *out, int rounds)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < rounds; round++) {
        tile[t] = in[round * 64 + t];
        __syncthreads();
        for (int k = 0; k < 64; k += 16)
            sum += tile[(t + k) % 64];
        __syncthreads();
    }
    out[t] = sum;
}
