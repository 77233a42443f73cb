// what: a tile with a halo that the threads at the edges load as well: in `bad` the barrier comes before the halo is there, in `bad_width` the halo lies one cell too far inside
// launch: --grid 2 --block 32
// arg: s32[66]=iota
// arg: s32[64]
// expect bad: race
// expect bad_width: race
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int tile[34];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    tile[t + 1] = in[i + 1];
    __syncthreads();
    if (t == 0)
        tile[0] = in[i];
    if (t == 31)
        tile[33] = in[i + 2];
    int before = t == 0 ? 0 : tile[t];
    out[i] = before + tile[t + 1] + tile[33];
}

// Both ends go where another thread's number belongs.
extern "C" __global__ void bad_width(const int *in, int *out)
{
    __shared__ int tile[34];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    tile[t + 1] = in[i + 1];
    if (t == 0)
        tile[0] = in[i];
    if (t == 30)
        tile[32] = tile[33] = in[i + 3];
    __syncthreads();
    out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int tile[34];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    tile[t + 1] = in[i + 1];
    if (t == 0)
        tile[0] = in[i];
    if (t == 31)
        tile[33] = in[i + 2];
    __syncthreads();
    out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}
