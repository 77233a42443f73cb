// what: two steps of a stencil in shared memory with a halo; in `bad` the result goes back into the array that other blocks still read their halo from
// launch: --grid 4 --block 32
// arg: s32[130]=iota
// arg: s32[130]
// expect bad: race
// expect good: clean

#define STEP(from, to)                                                                           \
    __shared__ int tile[34];                                                                     \
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t + 1;                               \
    tile[t + 1] = from[i];                                                                       \
    if (t == 0)                                                                                  \
        tile[0] = from[i - 1];                                                                   \
    if (t == blockDim.x - 1)                                                                     \
        tile[t + 2] = from[i + 1];                                                               \
    __syncthreads();                                                                             \
    to[i] = tile[t] + tile[t + 1] + tile[t + 2];

extern "C" __global__ void bad(int *a, int *)
{
    STEP(a, a)
}

extern "C" __global__ void good(int *a, int *b)
{
    STEP(a, b)
}
