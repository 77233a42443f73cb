// what: many threads set a flag to the same value by plain stores: a finding of its own, for no order shows; an atomic or a barrier with a vote is none
// launch: --grid 2 --block 64
// arg: s32[128]=rand:2:0:3
// arg: s32[2]
// arg: 3
// expect bad_shared: same-value
// expect bad_global: same-value
// expect good_atomic: clean
// expect good_vote: clean

extern "C" __global__ void bad_shared(const int *in, int *out, int key)
{
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0)
        found = 0;
    __syncthreads();
    if (in[blockIdx.x * 64 + t] == key)
        found = 1;
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = found;
}

extern "C" __global__ void bad_global(const int *in, int *out, int key)
{
    if (in[blockIdx.x * 64 + threadIdx.x] == key)
        out[0] = 1;
}

extern "C" __global__ void good_atomic(const int *in, int *out, int key)
{
    __shared__ int found;
    int t = threadIdx.x;
    if (t == 0)
        found = 0;
    __syncthreads();
    if (in[blockIdx.x * 64 + t] == key)
        atomicExch(&found, 1);
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = found;
}

extern "C" __global__ void good_vote(const int *in, int *out, int key)
{
    int found = __syncthreads_or(in[blockIdx.x * 64 + threadIdx.x] == key);
    if (threadIdx.x == 0)
        out[blockIdx.x] = found;
}
