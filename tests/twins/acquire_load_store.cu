// what: message passing by st.release and ld.acquire; .relaxed on either side is no half of a pair, and .cta does not reach another block
// launch: --block 64
// launch good: --grid 2
// launch good_inside_block: --grid 1
// launch bad_store_relaxed: --grid 2
// launch bad_load_relaxed: --grid 2
// launch bad_both_relaxed: --grid 2
// launch bad_store_block: --grid 2
// launch bad_load_block: --grid 2
// launch bad_load_plain: --grid 2
// launch bad_data_after: --grid 2
// arg: s32[2]
// arg: s32[1]
// arg: s32[1]
// expect bad_store_relaxed: race+unordered
// expect bad_load_relaxed: race+unordered
// expect bad_both_relaxed: race+unordered
// expect bad_store_block: race
// expect bad_load_block: race
// expect bad_load_plain: race
// expect bad_data_after: race
// expect good: clean
// expect good_inside_block: clean

__device__ __forceinline__ int load_acquire(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ int load_acquire_block(const int *p)
{
    int v;
    asm volatile("ld.acquire.cta.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ int load_relaxed(const int *p)
{
    int v;
    asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ void store_release(int *p, int v)
{
    asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ __forceinline__ void store_release_block(int *p, int v)
{
    asm volatile("st.release.cta.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ __forceinline__ void store_relaxed(int *p, int v)
{
    asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

#define PASS(writer, reader, store, load)                                                        \
    if (writer) {                                                                                \
        data[0] = 42;                                                                            \
        store(flag, 1);                                                                          \
    } else if (reader) {                                                                         \
        while (load(flag) == 0)                                                                  \
            ;                                                                                    \
        out[0] = data[0];                                                                        \
    }

#define ACROSS(name, store, load)                                                                \
    extern "C" __global__ void name(int *data, int *flag, int *out)                              \
    {                                                                                            \
        PASS(blockIdx.x == 0 && threadIdx.x == 0, blockIdx.x == 1 && threadIdx.x == 0, store,    \
             load)                                                                               \
    }

ACROSS(good, store_release, load_acquire)
ACROSS(bad_store_relaxed, store_relaxed, load_acquire)
ACROSS(bad_load_relaxed, store_release, load_relaxed)
ACROSS(bad_both_relaxed, store_relaxed, load_relaxed)
ACROSS(bad_store_block, store_release_block, load_acquire)
ACROSS(bad_load_block, store_release, load_acquire_block)

extern "C" __global__ void good_inside_block(int *data, int *flag, int *out)
{
    PASS(threadIdx.x == 0, threadIdx.x == 32, store_release_block, load_acquire_block)
}

// Read once: a plain read in a loop need not happen more often.
extern "C" __global__ void bad_load_plain(int *data, int *flag, int *out)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            data[0] = 42;
            store_release(flag, 1);
        } else if (*flag == 1) {
            out[0] = data[0];
        }
    }
}

// A release covers what comes before it.
extern "C" __global__ void bad_data_after(int *data, int *flag, int *out)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            store_release(flag, 1);
            data[0] = 42;
        } else {
            while (load_acquire(flag) == 0)
                ;
            out[0] = data[0];
        }
    }
}
