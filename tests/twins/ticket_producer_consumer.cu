// what: block 0 appends items and raises the count behind a fence, the others draw items below the count; an item may be read only behind a fence after the count was seen
// launch: --grid 3 --block 1
// arg: u32[2]
// arg: s32[16]
// arg: s32[16]
// expect bad_no_fence_in_producer: race
// expect bad_no_fence_in_consumer: race
// expect bad_count_first: race
// expect good: clean

#define PIPELINE(produce, acquire)                                                               \
    if (blockIdx.x == 0) {                                                                       \
        for (unsigned i = 0; i < 16; i++) {                                                      \
            produce                                                                              \
        }                                                                                        \
    } else {                                                                                     \
        unsigned i;                                                                              \
        while ((i = atomicAdd(&counts[1], 1)) < 16) {                                            \
            while (atomicAdd(&counts[0], 0) <= i)                                                \
                ;                                                                                \
            acquire;                                                                             \
            out[i] = items[i] + 1;                                                               \
        }                                                                                        \
    }

extern "C" __global__ void good(unsigned *counts, int *items, int *out)
{
    PIPELINE(items[i] = 10 * i; __threadfence(); atomicAdd(&counts[0], 1);, __threadfence())
}

extern "C" __global__ void bad_no_fence_in_producer(unsigned *counts, int *items, int *out)
{
    PIPELINE(items[i] = 10 * i; atomicAdd(&counts[0], 1);, __threadfence())
}

extern "C" __global__ void bad_no_fence_in_consumer(unsigned *counts, int *items, int *out)
{
    PIPELINE(items[i] = 10 * i; __threadfence(); atomicAdd(&counts[0], 1);, )
}

extern "C" __global__ void bad_count_first(unsigned *counts, int *items, int *out)
{
    PIPELINE(atomicAdd(&counts[0], 1); __threadfence(); items[i] = 10 * i;, __threadfence())
}
