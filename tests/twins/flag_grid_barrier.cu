// what: a barrier across the grid made of a counter: barrier, fence, count, wait, fence, barrier. Each part is needed by what follows, a read of another block's cells
// launch: --grid 4 --block 64
// arg: s32[256]
// arg: s32[256]
// arg: u32[1]
// expect bad_no_first_barrier: race
// expect bad_no_first_fence: race
// expect bad_no_second_fence: race
// expect bad_no_second_barrier: race
// expect bad_no_wait: race
// expect bad_block_fences: race
// expect good: clean

#define EXCHANGE(first_barrier, first_fence, wait, second_fence, second_barrier)                 \
    unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;              \
    cells[i] = i;                                                                                \
    first_barrier;                                                                               \
    if (threadIdx.x == 0) {                                                                      \
        first_fence;                                                                             \
        atomicAdd(count, 1);                                                                     \
        wait;                                                                                    \
        second_fence;                                                                            \
    }                                                                                            \
    second_barrier;                                                                              \
    out[i] = cells[n - 1 - i];
#define WAIT                                                                                     \
    while (*(volatile unsigned *)count < gridDim.x)                                              \
        ;

extern "C" __global__ void good(unsigned *cells, unsigned *out, unsigned *count)
{
    EXCHANGE(__syncthreads(), __threadfence(), WAIT, __threadfence(), __syncthreads())
}

extern "C" __global__ void bad_no_first_barrier(unsigned *cells, unsigned *out, unsigned *count)
{
    EXCHANGE(, __threadfence(), WAIT, __threadfence(), __syncthreads())
}

extern "C" __global__ void bad_no_first_fence(unsigned *cells, unsigned *out, unsigned *count)
{
    EXCHANGE(__syncthreads(), , WAIT, __threadfence(), __syncthreads())
}

extern "C" __global__ void bad_no_second_fence(unsigned *cells, unsigned *out, unsigned *count)
{
    EXCHANGE(__syncthreads(), __threadfence(), WAIT, , __syncthreads())
}

extern "C" __global__ void bad_no_second_barrier(unsigned *cells, unsigned *out, unsigned *count)
{
    EXCHANGE(__syncthreads(), __threadfence(), WAIT, __threadfence(), )
}

extern "C" __global__ void bad_no_wait(unsigned *cells, unsigned *out, unsigned *count)
{
    EXCHANGE(__syncthreads(), __threadfence(), , __threadfence(), __syncthreads())
}

extern "C" __global__ void bad_block_fences(unsigned *cells, unsigned *out, unsigned *count)
{
    EXCHANGE(__syncthreads(), __threadfence_block(), WAIT, __threadfence_block(), __syncthreads())
}
