// what: an atomic between keeps the chain from the first release to the last acquire, a store between cuts it: block 0 publishes, block 1 changes the flag, block 2 waits for the changed flag
// launch: --grid 3 --block 1
// arg: s32[1]
// arg: s32[1]
// arg: s32[1]
// expect bad: race
// expect good: clean

__device__ __forceinline__ int load(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ int load_relaxed(const int *p)
{
    int v;
    asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

#define RELAY(change)                                                                            \
    if (blockIdx.x == 0) {                                                                       \
        *data = 42;                                                                              \
        __threadfence();                                                                         \
        atomicExch(flag, 1);                                                                     \
    } else if (blockIdx.x == 1) {                                                                \
        while (load_relaxed(flag) == 0)                                                          \
            ;                                                                                    \
        change;                                                                                  \
    } else {                                                                                     \
        while (load(flag) != 2)                                                                  \
            ;                                                                                    \
        *out = *data;                                                                            \
    }

extern "C" __global__ void good(int *data, int *flag, int *out)
{
    RELAY(atomicAdd(flag, 1))
}

// Block 1 publishes no more than its own work, of which there is none.
extern "C" __global__ void bad(int *data, int *flag, int *out)
{
    RELAY(asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(flag), "r"(2) : "memory"))
}
