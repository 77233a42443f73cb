// what: the last steps of a reduction as they were written before Volta: `volatile` makes the accesses happen and orders nothing; __syncwarp() between reading and writing does
// launch: --block 32
// arg: s32[64]=iota
// expect bad: unordered
// expect good: clean

extern "C" __global__ void bad(volatile int *sums)
{
    int t = threadIdx.x;
    sums[t] += sums[t + 32];
    sums[t] += sums[t + 16];
    sums[t] += sums[t + 8];
    sums[t] += sums[t + 4];
    sums[t] += sums[t + 2];
    sums[t] += sums[t + 1];
}

#define STEP(n)                                                                                  \
    value += sums[t + n];                                                                        \
    __syncwarp();                                                                                \
    sums[t] = value;                                                                             \
    __syncwarp();

extern "C" __global__ void good(volatile int *sums)
{
    int t = threadIdx.x, value = sums[t];
    __syncwarp();
    STEP(32)
    STEP(16)
    STEP(8)
    STEP(4)
    STEP(2)
    STEP(1)
}
