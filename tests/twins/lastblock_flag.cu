// what: whether this is the last block is told to its threads through shared memory, behind a barrier; `bad` has none, so they read it before it is written, perhaps never written. `bad_ticket_too_soon` takes the ticket for the block before all its threads have written
// launch: --grid 4 --block 64
// arg: s32[256]
// arg: u32[1]
// arg: s32[1]
// expect bad: race | race+uninitialized
// expect bad_ticket_too_soon: race
// expect good: clean

#define SUM(before, after)                                                                       \
    __shared__ bool last;                                                                        \
    unsigned t = threadIdx.x, n = gridDim.x * blockDim.x;                                        \
    cells[blockIdx.x * blockDim.x + t] = t;                                                      \
    before;                                                                                      \
    if (t == 0) {                                                                                \
        __threadfence();                                                                         \
        last = atomicAdd(count, 1) == gridDim.x - 1;                                             \
        __threadfence();                                                                         \
    }                                                                                            \
    after;                                                                                       \
    if (last && t == 40) {                                                                       \
        int sum = 0;                                                                             \
        for (unsigned i = 0; i < n; i++)                                                         \
            sum += cells[i];                                                                     \
        out[0] = sum;                                                                            \
    }

extern "C" __global__ void good(int *cells, unsigned *count, int *out)
{
    SUM(__syncthreads(), __syncthreads())
}

extern "C" __global__ void bad(int *cells, unsigned *count, int *out)
{
    SUM(__syncthreads(), )
}

extern "C" __global__ void bad_ticket_too_soon(int *cells, unsigned *count, int *out)
{
    SUM(, __syncthreads())
}
