// what: two locks that are taken in different orders: each block may wait for the other one's for ever. That shows under some schedules only
// launch: --grid 2 --block 32
// arg: s32[1]
// arg: s32[1]
// expect bad: deadlock | livelock
// expect good: clean

#define BOTH(first, second)                                                                      \
    if (threadIdx.x == 0) {                                                                      \
        int *x = first, *y = second;                                                             \
        while (atomicCAS(x, 0, 1) != 0)                                                          \
            ;                                                                                    \
        while (atomicCAS(y, 0, 1) != 0)                                                          \
            ;                                                                                    \
        atomicExch(y, 0);                                                                        \
        atomicExch(x, 0);                                                                        \
    }

extern "C" __global__ void bad(int *a, int *b)
{
    BOTH(blockIdx.x == 0 ? a : b, blockIdx.x == 0 ? b : a)
}

extern "C" __global__ void good(int *a, int *b)
{
    BOTH(a, b)
}
