// what: message passing with a flag that is set by atomicExch and polled by an atomic that changes nothing; an atomic without a fence (relaxed) orders no other access
// launch: --grid 2 --block 32
// arg: s32[32]
// arg: s32[1]
// arg: s32[32]
// expect bad_no_writer_fence: race
// expect bad_no_reader_fence: race
// expect bad_no_fence: race
// expect bad_plain_poll: race | race+livelock
// expect good_add_zero: clean
// expect good_or_zero: clean
// expect good_cas: clean
// expect good_volatile_poll: clean

#define PASS(write_fence, poll, read_fence)                                                      \
    if (threadIdx.x != 0)                                                                        \
        return;                                                                                  \
    if (blockIdx.x == 0) {                                                                       \
        data[7] = 42;                                                                            \
        write_fence;                                                                             \
        atomicExch(flag, 1);                                                                     \
    } else {                                                                                     \
        while ((poll) == 0)                                                                      \
            ;                                                                                    \
        read_fence;                                                                              \
        out[7] = data[7];                                                                        \
    }

extern "C" __global__ void good_add_zero(int *data, int *flag, int *out)
{
    PASS(__threadfence(), atomicAdd(flag, 0), __threadfence())
}

extern "C" __global__ void good_or_zero(int *data, int *flag, int *out)
{
    PASS(__threadfence(), atomicOr(flag, 0), __threadfence())
}

extern "C" __global__ void good_cas(int *data, int *flag, int *out)
{
    PASS(__threadfence(), atomicCAS(flag, 1, 2), __threadfence())
}

extern "C" __global__ void good_volatile_poll(int *data, int *flag, int *out)
{
    PASS(__threadfence(), *(volatile int *)flag, __threadfence())
}

extern "C" __global__ void bad_no_writer_fence(int *data, int *flag, int *out)
{
    PASS(, atomicAdd(flag, 0), __threadfence())
}

extern "C" __global__ void bad_no_reader_fence(int *data, int *flag, int *out)
{
    PASS(__threadfence(), atomicAdd(flag, 0), )
}

extern "C" __global__ void bad_no_fence(int *data, int *flag, int *out)
{
    PASS(, atomicAdd(flag, 0), )
}

extern "C" __global__ void bad_plain_poll(int *data, int *flag, int *out)
{
    PASS(__threadfence(), *flag, __threadfence())
}
