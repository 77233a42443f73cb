// what: shared memory reached through generic pointers, in a function and through a pointer chosen at run time; the bad ones lack the barrier
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: s32[64]
// arg: 1
// expect bad_function: race
// expect good_function: clean
// expect bad_chosen: race
// expect good_chosen: clean

__device__ __noinline__ void put(int *cells, int i, int value)
{
    cells[i] = value;
}

__device__ __noinline__ int get(const int *cells, int i)
{
    return cells[i];
}

extern "C" __global__ void bad_function(const int *in, int *out, int *spare, int in_shared)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    put(cells, t, in[t]);
    out[t] = get(cells, 63 - t);
}

extern "C" __global__ void good_function(const int *in, int *out, int *spare, int in_shared)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    put(cells, t, in[t]);
    __syncthreads();
    out[t] = get(cells, 63 - t);
}

extern "C" __global__ void bad_chosen(const int *in, int *out, int *spare, int in_shared)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    int *chosen = in_shared ? cells : spare;
    chosen[t] = in[t];
    out[t] = chosen[63 - t];
}

extern "C" __global__ void good_chosen(const int *in, int *out, int *spare, int in_shared)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    int *chosen = in_shared ? cells : spare;
    chosen[t] = in[t];
    __syncthreads();
    out[t] = chosen[63 - t];
}
