// what: message passing with relaxed accesses and fence.acq_rel; each fence taken away, narrowed to the block, or put on the wrong side of the flag
// launch: --grid 2 --block 1
// arg: s32[1]
// arg: s32[1]
// arg: s32[1]
// expect bad_no_release: race+unordered
// expect bad_no_acquire: race+unordered
// expect bad_release_block: race+unordered
// expect bad_acquire_block: race+unordered
// expect bad_release_after: race+unordered
// expect bad_acquire_before: race+unordered
// expect good: clean
// expect good_sc: clean
// expect good_mixed: clean

__device__ __forceinline__ int load_relaxed(const int *p)
{
    int v;
    asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ void store_relaxed(int *p, int v)
{
    asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ __forceinline__ void fence()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

__device__ __forceinline__ void fence_block()
{
    asm volatile("fence.acq_rel.cta;" ::: "memory");
}

__device__ __forceinline__ void fence_sc()
{
    asm volatile("fence.sc.gpu;" ::: "memory");
}

#define PASS(name, before_set, after_set, before_get, after_get)                                 \
    extern "C" __global__ void name(int *data, int *flag, int *out)                              \
    {                                                                                            \
        if (blockIdx.x == 0) {                                                                   \
            *data = 42;                                                                          \
            before_set;                                                                          \
            store_relaxed(flag, 1);                                                              \
            after_set;                                                                           \
        } else {                                                                                 \
            before_get;                                                                          \
            while (load_relaxed(flag) == 0)                                                      \
                ;                                                                                \
            after_get;                                                                           \
            *out = *data;                                                                        \
        }                                                                                        \
    }

PASS(good, fence(), , , fence())
PASS(good_sc, fence_sc(), , , fence_sc())
PASS(good_mixed, fence(), , , __threadfence())
PASS(bad_no_release, , , , fence())
PASS(bad_no_acquire, fence(), , , )
PASS(bad_release_block, fence_block(), , , fence())
PASS(bad_acquire_block, fence(), , , fence_block())
PASS(bad_release_after, , fence(), , fence())
PASS(bad_acquire_before, fence(), , fence(), )
