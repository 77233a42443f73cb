// what: as flag_whole_block, but every thread fences before the barrier and thread 0 only sets the flag (`good`), or every thread fences after the barrier and thread 0 only polls
//   doubtful: no single thread has the whole pattern, fence and flag. It is clean because __threadfence() is membar.gl, a fence.sc: if the reader's fence came first in the order of fence.sc, the reader would have read the flag before it was written, so the writer's fence comes first, and synchronizes. With fence.acq_rel (`bad`) there is no such order
// launch: --grid 2 --block 64
// arg: s32[64]
// arg: s32[1]
// arg: s32[64]
// expect bad: race+unordered
// expect good: clean
// expect good_writer: clean
// expect good_reader: clean

#define PASS(all_write, one_writes, one_reads, all_read)                                         \
    unsigned t = threadIdx.x;                                                                    \
    if (blockIdx.x == 0) {                                                                       \
        data[t] = t * t;                                                                         \
        all_write;                                                                               \
        __syncthreads();                                                                         \
        if (t == 0) {                                                                            \
            one_writes;                                                                          \
            *flag = 1;                                                                           \
        }                                                                                        \
    } else {                                                                                     \
        if (t == 0) {                                                                            \
            while (*flag == 0)                                                                   \
                ;                                                                                \
            one_reads;                                                                           \
        }                                                                                        \
        __syncthreads();                                                                         \
        all_read;                                                                                \
        out[t] = data[63 - t];                                                                   \
    }

__device__ __forceinline__ void fence_acq_rel()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

extern "C" __global__ void good(int *data, volatile int *flag, int *out)
{
    PASS(__threadfence(), , , __threadfence())
}

extern "C" __global__ void good_writer(int *data, volatile int *flag, int *out)
{
    PASS(__threadfence(), , __threadfence(), )
}

extern "C" __global__ void good_reader(int *data, volatile int *flag, int *out)
{
    PASS(, __threadfence(), , __threadfence())
}

extern "C" __global__ void bad(int *data, volatile int *flag, int *out)
{
    PASS(, , , fence_acq_rel())
}
