// what: each block writes the sum of its part, the last block to take a ticket adds up all of them: sum, fence, ticket; ticket, fence, barrier, read
// launch: --grid 4 --block 32
// arg: s32[128]=iota
// arg: s32[4]
// arg: u32[1]
// arg: s32[1]
// expect bad_no_release: race
// expect bad_no_acquire: race
// expect bad_no_fence: race
// expect bad_block_release: race
// expect bad_block_acquire: race
// expect bad_release_moved: race
// expect bad_acquire_moved: race
// expect bad_ticket_scope: race
// expect bad_no_ticket: race
// expect good: clean
// expect good_system: clean

#define SUM(release, ticket, acquire)                                                            \
    __shared__ int parts[32];                                                                    \
    __shared__ bool last;                                                                        \
    unsigned t = threadIdx.x;                                                                    \
    parts[t] = in[blockIdx.x * blockDim.x + t];                                                  \
    __syncthreads();                                                                             \
    for (unsigned s = 16; s > 0; s >>= 1) {                                                      \
        if (t < s)                                                                               \
            parts[t] += parts[t + s];                                                            \
        __syncthreads();                                                                         \
    }                                                                                            \
    if (t == 0) {                                                                                \
        sums[blockIdx.x] = parts[0];                                                             \
        release;                                                                                 \
        last = (ticket) == gridDim.x - 1;                                                        \
        acquire;                                                                                 \
    }                                                                                            \
    __syncthreads();                                                                             \
    if (last && t == 1) {                                                                        \
        int sum = 0;                                                                             \
        for (unsigned b = 0; b < gridDim.x; b++)                                                 \
            sum += sums[b];                                                                      \
        out[0] = sum;                                                                            \
    }
#define TICKET atomicInc(count, gridDim.x - 1)

extern "C" __global__ void good(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(__threadfence(), TICKET, __threadfence())
}

extern "C" __global__ void good_system(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(__threadfence_system(), atomicInc_system(count, gridDim.x - 1), __threadfence())
}

extern "C" __global__ void bad_no_release(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(, TICKET, __threadfence())
}

extern "C" __global__ void bad_no_acquire(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(__threadfence(), TICKET, )
}

extern "C" __global__ void bad_no_fence(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(, TICKET, )
}

extern "C" __global__ void bad_block_release(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(__threadfence_block(), TICKET, __threadfence())
}

extern "C" __global__ void bad_block_acquire(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(__threadfence(), TICKET, __threadfence_block())
}

// The release fence comes after the ticket, where the acquire fence is as well.
extern "C" __global__ void bad_release_moved(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(, TICKET, __threadfence(); __threadfence())
}

// The acquire fence comes before the ticket.
extern "C" __global__ void bad_acquire_moved(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(__threadfence(); __threadfence(), TICKET, )
}

extern "C" __global__ void bad_ticket_scope(const int *in, int *sums, unsigned *count, int *out)
{
    SUM(__threadfence(), atomicInc_block(count, gridDim.x - 1), __threadfence())
}

// The block with the last number is not the last to finish.
extern "C" __global__ void bad_no_ticket(const int *in, int *sums, unsigned *, int *out)
{
    SUM(__threadfence(), blockIdx.x, __threadfence())
}
