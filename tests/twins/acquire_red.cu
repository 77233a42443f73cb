// what: blocks count themselves in by red.release, the last one waits for the count by ld.acquire; a relaxed red publishes nothing
// launch: --grid 4 --block 1
// arg: s32[4]
// arg: s32[1]
// arg: s32[1]
// expect bad_red_relaxed: race
// expect bad_load_relaxed: race
// expect good: clean
// expect good_fences: clean

#define COUNT(red, fence, wait, after)                                                           \
    data[blockIdx.x] = 10 * blockIdx.x;                                                          \
    fence;                                                                                       \
    asm volatile(red ".add.s32 [%0], 1;" ::"l"(count) : "memory");                               \
    if (blockIdx.x == 3) {                                                                       \
        int n;                                                                                   \
        do                                                                                       \
            asm volatile(wait ".b32 %0, [%1];" : "=r"(n) : "l"(count) : "memory");               \
        while (n < 4);                                                                           \
        after;                                                                                   \
        *out = data[0] + data[1] + data[2] + data[3];                                            \
    }

extern "C" __global__ void good(int *data, int *count, int *out)
{
    COUNT("red.release.gpu", , "ld.acquire.gpu", )
}

extern "C" __global__ void good_fences(int *data, int *count, int *out)
{
    COUNT("red.relaxed.gpu", __threadfence(), "ld.relaxed.gpu", __threadfence())
}

extern "C" __global__ void bad_red_relaxed(int *data, int *count, int *out)
{
    COUNT("red.relaxed.gpu", , "ld.acquire.gpu", )
}

extern "C" __global__ void bad_load_relaxed(int *data, int *count, int *out)
{
    COUNT("red.release.gpu", , "ld.relaxed.gpu", )
}
