// what: a scan over blocks that look back: each publishes its own sum, then the sum of all up to it, each with a state in a word of its own; the fences order sums and states. In `good_packed` sum and state are one 64-bit word, exchanged atomically, which needs none
//   in `bad_no_look_fence` the fence before the second sum makes the state a proper flag, but comes after the reads
// launch: --grid 6 --block 32
// arg: s32[192]=iota:1
// arg: s32[192]
// arg: s32[6]
// arg: s32[12]
// arg: u64[6]
// expect bad_no_publish_fence: race+unordered
// expect bad_no_look_fence: race
// expect bad_block_fences: race+unordered
// expect good: clean
// expect good_packed: clean

#define LOOK_BACK(publish_fence, look_fence)                                                     \
    __shared__ int sums[32], before;                                                             \
    unsigned t = threadIdx.x, b = blockIdx.x, i = 32 * b + t;                                    \
    sums[t] = in[i];                                                                             \
    __syncthreads();                                                                             \
    if (t == 0) {                                                                                \
        int total = 0, sum = 0;                                                                  \
        for (int k = 0; k < 32; k++)                                                             \
            sums[k] = total += sums[k];                                                          \
        values[2 * b] = total;                                                                   \
        publish_fence;                                                                           \
        state[b] = 1;                                                                            \
        for (int k = (int)b - 1; k >= 0; k--) {                                                  \
            int seen;                                                                            \
            while ((seen = state[k]) == 0)                                                       \
                ;                                                                                \
            look_fence;                                                                          \
            if (seen == 2) {                                                                     \
                sum += values[2 * k + 1];                                                        \
                break;                                                                           \
            }                                                                                    \
            sum += values[2 * k];                                                                \
        }                                                                                        \
        values[2 * b + 1] = sum + total;                                                         \
        publish_fence;                                                                           \
        state[b] = 2;                                                                            \
        before = sum;                                                                            \
    }                                                                                            \
    __syncthreads();                                                                             \
    out[i] = before + sums[t];

extern "C" __global__ void good(const int *in, int *out, volatile int *state, int *values, void *)
{
    LOOK_BACK(__threadfence(), __threadfence())
}

extern "C" __global__ void bad_no_publish_fence(const int *in, int *out, volatile int *state,
                                                int *values, void *)
{
    LOOK_BACK(, __threadfence())
}

extern "C" __global__ void bad_no_look_fence(const int *in, int *out, volatile int *state,
                                             int *values, void *)
{
    LOOK_BACK(__threadfence(), )
}

extern "C" __global__ void bad_block_fences(const int *in, int *out, volatile int *state,
                                            int *values, void *)
{
    LOOK_BACK(__threadfence_block(), __threadfence_block())
}

extern "C" __global__ void good_packed(const int *in, int *out, volatile int *, int *,
                                       unsigned long long *packed)
{
    __shared__ int sums[32], before;
    unsigned t = threadIdx.x, b = blockIdx.x, i = 32 * b + t;
    sums[t] = in[i];
    __syncthreads();
    if (t == 0) {
        int total = 0, sum = 0;
        for (int k = 0; k < 32; k++)
            sums[k] = total += sums[k];
        atomicExch(&packed[b], 1ull << 32 | (unsigned)total);
        for (int k = (int)b - 1; k >= 0; k--) {
            unsigned long long seen;
            while ((seen = ((volatile unsigned long long *)packed)[k]) == 0)
                ;
            sum += (int)seen;
            if (seen >> 32 == 2)
                break;
        }
        atomicExch(&packed[b], 2ull << 32 | (unsigned)(sum + total));
        before = sum;
    }
    __syncthreads();
    out[i] = before + sums[t];
}
