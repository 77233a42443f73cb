// what: block 0 tells block 1, block 1 tells block 2, block 2 reads what block 0 wrote; happens-before is transitive if every link has its fences
// launch: --grid 3 --block 1
// arg: s32[1]
// arg: s32[2]
// arg: s32[1]
// expect bad_middle_no_fence: race+unordered
// expect bad_middle_block_fence: race+unordered
// expect bad_first_no_fence: race+unordered
// expect bad_last_no_fence: race+unordered
// expect good: clean

#define CHAIN(first_fence, middle_fence, last_fence)                                             \
    if (blockIdx.x == 0) {                                                                       \
        data[0] = 42;                                                                            \
        first_fence;                                                                             \
        flags[0] = 1;                                                                            \
    } else if (blockIdx.x == 1) {                                                                \
        while (flags[0] == 0)                                                                    \
            ;                                                                                    \
        middle_fence;                                                                            \
        flags[1] = 1;                                                                            \
    } else {                                                                                     \
        while (flags[1] == 0)                                                                    \
            ;                                                                                    \
        last_fence;                                                                              \
        out[0] = data[0];                                                                        \
    }

extern "C" __global__ void good(int *data, volatile int *flags, int *out)
{
    CHAIN(__threadfence(), __threadfence(), __threadfence())
}

extern "C" __global__ void bad_middle_no_fence(int *data, volatile int *flags, int *out)
{
    CHAIN(__threadfence(), , __threadfence())
}

extern "C" __global__ void bad_middle_block_fence(int *data, volatile int *flags, int *out)
{
    CHAIN(__threadfence(), __threadfence_block(), __threadfence())
}

extern "C" __global__ void bad_first_no_fence(int *data, volatile int *flags, int *out)
{
    CHAIN(, __threadfence(), __threadfence())
}

extern "C" __global__ void bad_last_no_fence(int *data, volatile int *flags, int *out)
{
    CHAIN(__threadfence(), __threadfence(), )
}
