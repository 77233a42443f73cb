// what: a table is filled by compare-and-swap; whoever finds its key taken adds to the count beside it. Block scope is too narrow for either when two blocks share the table
// launch: --grid 2 --block 32
// arg: u32[64]=rand:5:1:20
// arg: u32[32]
// arg: u32[32]
// expect bad_claim: race
// expect bad_count: race
// expect bad_plain_claim: race
// expect good: clean

#define COUNT(claim, add)                                                                        \
    unsigned key = in[blockIdx.x * blockDim.x + threadIdx.x], place = key * 7 % 32;              \
    for (;;) {                                                                                   \
        unsigned seen = claim;                                                                   \
        if (seen == 0 || seen == key)                                                            \
            break;                                                                               \
        place = (place + 1) % 32;                                                                \
    }                                                                                            \
    add(&counts[place], 1);

__device__ __forceinline__ unsigned plain_claim(unsigned *cell, unsigned key)
{
    unsigned seen = *cell;
    if (seen == 0)
        *cell = key;
    return seen;
}

extern "C" __global__ void good(const unsigned *in, unsigned *keys, unsigned *counts)
{
    COUNT(atomicCAS(&keys[place], 0, key), atomicAdd)
}

extern "C" __global__ void bad_claim(const unsigned *in, unsigned *keys, unsigned *counts)
{
    COUNT(atomicCAS_block(&keys[place], 0, key), atomicAdd)
}

extern "C" __global__ void bad_count(const unsigned *in, unsigned *keys, unsigned *counts)
{
    COUNT(atomicCAS(&keys[place], 0, key), atomicAdd_block)
}

extern "C" __global__ void bad_plain_claim(const unsigned *in, unsigned *keys, unsigned *counts)
{
    COUNT(plain_claim(&keys[place], key), atomicAdd)
}
