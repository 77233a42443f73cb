// what: one barrier of the grid too few: block 0 clears a sum that block 1 has not read yet, and which block goes on is then a matter of luck. Some schedules go round for ever and hide the race that is the cause
// launch: --grid 2 --block 32
// arg: f64[1]
// arg: u32[1]
// arg: s32[2]
// expect bad: race + livelock
// expect good: clean

// As in CUDA's headers: the highest bit turns when all blocks have come. A block that looks late sees the next arrival of
// another one, which orders what that block did before it.
__device__ void grid_sync(unsigned *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned more = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        __threadfence();
        unsigned before = atomicAdd(arrived, more);
        while (((before ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0) {
        }
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void bad(double *sum, unsigned *state, int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, 1.0);
    grid_sync(state);
    double r = *sum;
    __syncthreads();
    int rounds = 0;
    while (r > 0.5 && rounds < 5) {
        if (threadIdx.x == 0 && blockIdx.x == 0)
            *sum = 0.0;
        grid_sync(state);
        if (threadIdx.x == 0)
            atomicAdd(sum, 1.0);
        grid_sync(state);
        r = *sum;
        rounds++;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = rounds;
}

extern "C" __global__ void good(double *sum, unsigned *state, int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, 1.0);
    grid_sync(state);
    double r = *sum;
    int rounds = 0;
    while (r > 0.5 && rounds < 5) {
        grid_sync(state);
        if (threadIdx.x == 0 && blockIdx.x == 0)
            *sum = 0.0;
        grid_sync(state);
        if (threadIdx.x == 0)
            atomicAdd(sum, 1.0);
        grid_sync(state);
        r = *sum;
        rounds++;
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = rounds;
}
