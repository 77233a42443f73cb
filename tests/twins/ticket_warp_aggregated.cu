// what: one lane draws places for all lanes of its warp that want one; in `bad` the leader takes them from the counter without an atomic, in `bad_same_place` all lanes write at the first of them
// launch: --grid 2 --block 64
// arg: u32[1]
// arg: u32[128]
// expect bad: race
// expect bad_same_place: race
// expect good: clean

#define APPEND(draw, place)                                                                      \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;                 \
    bool want = i % 3 != 1;                                                                      \
    unsigned who = __ballot_sync(~0u, want);                                                     \
    unsigned first = 0, count = __popc(who), rank = __popc(who & ((1u << lane) - 1));            \
    if (lane == 0) {                                                                             \
        draw;                                                                                    \
    }                                                                                            \
    first = __shfl_sync(~0u, first, 0);                                                          \
    if (want)                                                                                    \
        list[place] = i;

extern "C" __global__ void good(unsigned *n, unsigned *list)
{
    APPEND(first = atomicAdd(n, count), first + rank)
}

extern "C" __global__ void bad(unsigned *n, unsigned *list)
{
    APPEND(first = *n; *n = first + count, first + rank)
}

extern "C" __global__ void bad_same_place(unsigned *n, unsigned *list)
{
    APPEND(first = atomicAdd(n, count), first + 0 * rank)
}
