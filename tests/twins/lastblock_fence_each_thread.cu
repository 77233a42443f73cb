// what: the last-block reduction with the fences of all threads, not of thread 0 alone: every thread writes and fences, barrier, ticket, barrier, every thread fences and reads
//   doubtful, and clean for the reason in flag_fence_each_thread: membar.gl is fence.sc. `bad` has the fence after the ticket only
// launch: --grid 4 --block 64
// arg: s32[256]
// arg: u32[1]
// arg: s32[64]
// expect bad: race
// expect bad_first_only: race
// expect good: clean

#define SUM(first, second)                                                                       \
    __shared__ bool last;                                                                        \
    unsigned t = threadIdx.x;                                                                    \
    cells[blockIdx.x * blockDim.x + t] = t;                                                      \
    first;                                                                                       \
    __syncthreads();                                                                             \
    if (t == 0)                                                                                  \
        last = atomicAdd(count, 1) == gridDim.x - 1;                                             \
    __syncthreads();                                                                             \
    if (last) {                                                                                  \
        second;                                                                                  \
        int sum = 0;                                                                             \
        for (unsigned b = 0; b < gridDim.x; b++)                                                 \
            sum += cells[b * blockDim.x + t];                                                    \
        out[t] = sum;                                                                            \
    }

extern "C" __global__ void good(int *cells, unsigned *count, int *out)
{
    SUM(__threadfence(), __threadfence())
}

extern "C" __global__ void bad(int *cells, unsigned *count, int *out)
{
    SUM(, __threadfence())
}

extern "C" __global__ void bad_first_only(int *cells, unsigned *count, int *out)
{
    SUM(__threadfence(), )
}
