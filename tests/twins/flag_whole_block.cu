// what: all threads of block 0 produce, all threads of block 1 consume, thread 0 of each handles the flag: barrier, fence, flag; flag, fence, barrier. A barrier is no fence for another block, and a fence of thread 0 is no barrier
// launch: --grid 2 --block 64
// arg: s32[64]
// arg: s32[1]
// arg: s32[64]
// expect bad_barrier_for_writer_fence: race+unordered
// expect bad_barrier_for_reader_fence: race+unordered
// expect bad_no_writer_barrier: race
// expect bad_no_reader_barrier: race
// expect good: clean

#define PASS(write_barrier, write_fence, read_fence, read_barrier)                               \
    unsigned t = threadIdx.x;                                                                    \
    if (blockIdx.x == 0) {                                                                       \
        data[t] = t * t;                                                                         \
        write_barrier;                                                                           \
        if (t == 0) {                                                                            \
            write_fence;                                                                         \
            *flag = 1;                                                                           \
        }                                                                                        \
    } else {                                                                                     \
        if (t == 0) {                                                                            \
            while (*flag == 0)                                                                   \
                ;                                                                                \
            read_fence;                                                                          \
        }                                                                                        \
        read_barrier;                                                                            \
        out[t] = data[63 - t];                                                                   \
    }

extern "C" __global__ void good(int *data, volatile int *flag, int *out)
{
    PASS(__syncthreads(), __threadfence(), __threadfence(), __syncthreads())
}

extern "C" __global__ void bad_barrier_for_writer_fence(int *data, volatile int *flag, int *out)
{
    PASS(__syncthreads(), , __threadfence(), __syncthreads())
}

extern "C" __global__ void bad_barrier_for_reader_fence(int *data, volatile int *flag, int *out)
{
    PASS(__syncthreads(), __threadfence(), , __syncthreads())
}

extern "C" __global__ void bad_no_writer_barrier(int *data, volatile int *flag, int *out)
{
    PASS(, __threadfence(), __threadfence(), __syncthreads())
}

extern "C" __global__ void bad_no_reader_barrier(int *data, volatile int *flag, int *out)
{
    PASS(__syncthreads(), __threadfence(), __threadfence(), )
}
