// what: what each block counts for itself and then adds to the total: without an atomic blocks race, without a barrier threads do
// launch: --grid 3 --block 64
// arg: s32[500]=rand:12:0:99
// arg: s32[1]
// arg: 500
// expect bad_plain_total: race
// expect bad_no_barrier: race
// expect good: clean
// expect good_each_its_own: clean
// launch good_each_its_own: --arg s32[3]
// launch good: --arg null
// launch bad_plain_total: --arg null
// launch bad_no_barrier: --arg null

extern "C" __global__ void bad_plain_total(const int *in, int *total, int n, int *parts)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        if (in[i] > 50)
            atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *total += count;
}

extern "C" __global__ void bad_no_barrier(const int *in, int *total, int n, int *parts)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        if (in[i] > 50)
            atomicAdd(&count, 1);
    if (threadIdx.x == 0)
        atomicAdd(total, count);
}

extern "C" __global__ void good(const int *in, int *total, int n, int *parts)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        if (in[i] > 50)
            atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, count);
}

extern "C" __global__ void good_each_its_own(const int *in, int *total, int n, int *parts)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        if (in[i] > 50)
            atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        parts[blockIdx.x] += count;
}
