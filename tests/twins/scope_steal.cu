// what: each block takes work from its own queue by atomics of block scope, which is right until an idle block steals from the other's queue
// launch: --grid 2 --block 32
// arg: u32[2]
// arg: u32[2]=list:10,50
// arg: s32[100]
// expect bad: race
// expect good: clean
// expect good_own: clean

#define TAKE(add, from)                                                                          \
    {                                                                                            \
        unsigned q = from, i;                                                                    \
        while ((i = add(&heads[q], 1)) < sizes[q])                                               \
            out[50 * q + i] = blockIdx.x + 1;                                                    \
    }

extern "C" __global__ void bad(unsigned *heads, const unsigned *sizes, int *out)
{
    TAKE(atomicAdd_block, blockIdx.x)
    TAKE(atomicAdd, 1 - blockIdx.x)
}

extern "C" __global__ void good(unsigned *heads, const unsigned *sizes, int *out)
{
    TAKE(atomicAdd, blockIdx.x)
    TAKE(atomicAdd, 1 - blockIdx.x)
}

extern "C" __global__ void good_own(unsigned *heads, const unsigned *sizes, int *out)
{
    TAKE(atomicAdd_block, blockIdx.x)
}
