// what: what a block sees between two steps of another one leads it out of bounds: that shows under some schedules only
// launch: --grid 3 --block 1
// arg: s32[1]
// arg: s32[4]
// expect bad: out-of-bounds
// expect good: clean

#define LOOK(index)                                                                              \
    if (blockIdx.x == 0) {                                                                       \
        atomicExch(state, 1);                                                                    \
        atomicExch(state, 2);                                                                    \
    } else if (atomicAdd(state, 0) == 1) {                                                       \
        out[index] = 1;                                                                          \
    }

extern "C" __global__ void bad(int *state, int *out)
{
    LOOK(blockIdx.x == 1 ? 99999 : 0)
}

extern "C" __global__ void good(int *state, int *out)
{
    LOOK(blockIdx.x == 1 ? 3 : 0)
}
