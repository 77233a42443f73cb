// what: the sum is read plainly after a barrier of the block: all is well if only this block added, and a race if another block did
// launch: --block 64
// launch bad: --grid 2
// launch bad_last_reads: --grid 2
// launch good: --grid 2
// launch good_reset: --grid 1
// arg: u32[2]
// arg: u32[128]
// expect bad: race
// expect bad_last_reads: race
// expect good: clean
// expect good_reset: clean

extern "C" __global__ void bad(unsigned *n, unsigned *out)
{
    atomicAdd(n, threadIdx.x);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *n;
}

extern "C" __global__ void bad_last_reads(unsigned *n, unsigned *out)
{
    atomicAdd(n, threadIdx.x);
    __threadfence();
    __syncthreads();
    if (blockIdx.x == gridDim.x - 1)
        out[threadIdx.x] = *n;
}

extern "C" __global__ void good(unsigned *n, unsigned *out)
{
    atomicAdd_block(&n[blockIdx.x], threadIdx.x);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = n[blockIdx.x];
}

extern "C" __global__ void good_reset(unsigned *n, unsigned *out)
{
    if (threadIdx.x == 0)
        *n = 0;
    __syncthreads();
    atomicAdd(n, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = *n;
    __syncthreads();
    if (threadIdx.x == 0)
        *n = 0;
}
