// what: every thread puts its key into a hash table of four buckets, each with a lock of its own; the lanes of a warp that want one bucket take turns
// launch: --grid 2 --block 32
// arg: u32[64]=rand:3:0:999
// arg: s32[4]
// arg: u32[4]
// arg: u32[256]
// expect bad_no_lock: race
// expect bad_wrong_lock: race
// expect bad_no_fence: race
// expect good: clean
// expect good_no_lock: clean

#define INSERT(lock, acquire, release)                                                           \
    unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x], b = key % 4;                     \
    bool done = false;                                                                           \
    while (!done)                                                                                \
        if (atomicCAS(lock, 0, 1) == 0) {                                                        \
            acquire;                                                                             \
            unsigned n = sizes[b];                                                               \
            table[64 * b + n] = key;                                                             \
            sizes[b] = n + 1;                                                                    \
            release;                                                                             \
            atomicExch(lock, 0);                                                                 \
            done = true;                                                                         \
        }

extern "C" __global__ void good(const unsigned *keys, int *locks, unsigned *sizes, unsigned *table)
{
    INSERT(&locks[b], __threadfence(), __threadfence())
}

// The lock of the thread, not of the bucket.
extern "C" __global__ void bad_wrong_lock(const unsigned *keys, int *locks, unsigned *sizes,
                                          unsigned *table)
{
    INSERT(&locks[threadIdx.x % 4], __threadfence(), __threadfence())
}

extern "C" __global__ void bad_no_fence(const unsigned *keys, int *locks, unsigned *sizes,
                                        unsigned *table)
{
    INSERT(&locks[b], , )
}

extern "C" __global__ void bad_no_lock(const unsigned *keys, int *, unsigned *sizes,
                                       unsigned *table)
{
    unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x], b = key % 4;
    unsigned n = sizes[b]++;
    table[64 * b + n] = key;
}

extern "C" __global__ void good_no_lock(const unsigned *keys, int *, unsigned *sizes,
                                        unsigned *table)
{
    unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x], b = key % 4;
    unsigned n = atomicAdd(&sizes[b], 1);
    table[64 * b + n] = key;
}
