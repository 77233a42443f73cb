// what: threads draw the numbers of work items from a common counter; plainly or through volatile two may draw the same, and by an atomic of block scope two blocks may
// launch: --grid 2 --block 32
// arg: u32[1]
// arg: s32[100]=iota
// arg: s32[100]
// expect bad: race
// expect bad_volatile: unordered | same-value+unordered
// expect bad_block: race
// expect good: clean

#define WORK(draw)                                                                               \
    unsigned i;                                                                                  \
    while ((i = draw) < 100)                                                                     \
        out[i] = in[i] * in[i];

extern "C" __global__ void good(unsigned *next, const int *in, int *out)
{
    WORK(atomicAdd(next, 1))
}

extern "C" __global__ void bad(unsigned *next, const int *in, int *out)
{
    WORK((*next)++)
}

extern "C" __global__ void bad_volatile(volatile unsigned *next, const int *in, int *out)
{
    WORK((*next)++)
}

extern "C" __global__ void bad_block(unsigned *next, const int *in, int *out)
{
    WORK(atomicAdd_block(next, 1))
}
