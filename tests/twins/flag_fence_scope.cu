// what: message passing between blocks needs fences that reach the other block on both sides; `__threadfence_block()` suffices inside a block only
// launch: --block 64
// launch good: --grid 2
// launch good_system: --grid 2
// launch good_inside_block: --grid 1
// launch bad_writer: --grid 2
// launch bad_reader: --grid 2
// launch bad_both: --grid 2
// arg: s32[4]
// arg: s32[1]
// arg: s32[4]
// expect bad_writer: race+unordered
// expect bad_reader: race+unordered
// expect bad_both: race+unordered
// expect good: clean
// expect good_system: clean
// expect good_inside_block: clean

#define PASS(writer, reader, write_fence, read_fence)                                            \
    if (writer) {                                                                                \
        data[0] = 42;                                                                            \
        write_fence();                                                                           \
        *flag = 1;                                                                               \
    } else if (reader) {                                                                         \
        while (*flag == 0)                                                                       \
            ;                                                                                    \
        read_fence();                                                                            \
        out[0] = data[0];                                                                        \
    }
#define BLOCK(b) (blockIdx.x == b && threadIdx.x == 0)

extern "C" __global__ void good(int *data, volatile int *flag, int *out)
{
    PASS(BLOCK(0), BLOCK(1), __threadfence, __threadfence)
}

extern "C" __global__ void good_system(int *data, volatile int *flag, int *out)
{
    PASS(BLOCK(0), BLOCK(1), __threadfence_system, __threadfence)
}

extern "C" __global__ void good_inside_block(int *data, volatile int *flag, int *out)
{
    PASS(threadIdx.x == 0, threadIdx.x == 32, __threadfence_block, __threadfence_block)
}

extern "C" __global__ void bad_writer(int *data, volatile int *flag, int *out)
{
    PASS(BLOCK(0), BLOCK(1), __threadfence_block, __threadfence)
}

extern "C" __global__ void bad_reader(int *data, volatile int *flag, int *out)
{
    PASS(BLOCK(0), BLOCK(1), __threadfence, __threadfence_block)
}

extern "C" __global__ void bad_both(int *data, volatile int *flag, int *out)
{
    PASS(BLOCK(0), BLOCK(1), __threadfence_block, __threadfence_block)
}
