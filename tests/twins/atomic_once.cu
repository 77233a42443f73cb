// what: the first thread to arrive sets something up, the others use it; who did not win must wait until the winner says that it is done
// launch: --grid 4 --block 1
// arg: s32[1]
// arg: s32[1]
// arg: s32[4]
// expect bad: race
// expect bad_no_fence: race
// expect good: clean

// 0: nobody came, 1: somebody is at it, 2: done.
extern "C" __global__ void good(int *state, int *value, int *out)
{
    if (atomicCAS(state, 0, 1) == 0) {
        *value = 42;
        __threadfence();
        atomicExch(state, 2);
    }
    while (atomicAdd(state, 0) != 2)
        ;
    __threadfence();
    out[blockIdx.x] = *value;
}

extern "C" __global__ void bad(int *state, int *value, int *out)
{
    if (atomicCAS(state, 0, 1) == 0) {
        *value = 42;
        __threadfence();
        atomicExch(state, 2);
    }
    out[blockIdx.x] = *value;
}

extern "C" __global__ void bad_no_fence(int *state, int *value, int *out)
{
    if (atomicCAS(state, 0, 1) == 0) {
        *value = 42;
        atomicExch(state, 2);
    }
    while (atomicAdd(state, 0) != 2)
        ;
    out[blockIdx.x] = *value;
}
