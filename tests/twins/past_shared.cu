// what: one cell past the end of an array in shared memory, declared or given at the launch, and of an array of a thread's own
// launch: --block 64 --shared 256
// arg: s32[64]=iota
// arg: s32[64]
// expect bad_declared: out-of-bounds
// expect bad_dynamic: out-of-bounds
// expect bad_local: out-of-bounds
// expect good_declared: clean
// expect good_dynamic: clean
// expect good_local: clean
// launch bad_declared: --shared 0
// launch good_declared: --shared 0

extern "C" __global__ void bad_declared(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    out[t] = cells[t] + cells[t + 1];
}

extern "C" __global__ void good_declared(const int *in, int *out)
{
    __shared__ int cells[65];
    int t = threadIdx.x;
    cells[t + 1] = in[t];
    if (t == 0)
        cells[0] = 0;
    __syncthreads();
    out[t] = cells[t] + cells[t + 1];
}

// 64 ints and a total, in room for 64 ints.
extern "C" __global__ void bad_dynamic(const int *in, int *out)
{
    extern __shared__ int room[];
    int t = threadIdx.x;
    room[t] = in[t];
    if (t == 0)
        room[64] = 7;
    __syncthreads();
    out[t] = room[63 - t];
}

extern "C" __global__ void good_dynamic(const int *in, int *out)
{
    extern __shared__ int room[];
    int t = threadIdx.x;
    room[t] = in[t];
    __syncthreads();
    out[t] = room[63 - t];
}

// The numbers go to 63, the array to 31.
extern "C" __global__ void bad_local(const int *in, int *out)
{
    int seen[32];
    int t = threadIdx.x;
    for (int k = 0; k < 32; k++)
        seen[k] = 0;
    seen[in[t]] = 1;
    out[t] = seen[in[t] / 2];
}

extern "C" __global__ void good_local(const int *in, int *out)
{
    int seen[32];
    int t = threadIdx.x;
    for (int k = 0; k < 32; k++)
        seen[k] = 0;
    seen[in[t] % 32] = 1;
    out[t] = seen[in[t] / 2];
}
