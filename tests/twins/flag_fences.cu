// what: block 0 writes data and sets a volatile flag, block 1 waits for the flag and reads the data; a fence belongs between data and flag on both sides, in this order. Without the pair of fences the flag itself is a mere volatile (unordered)
// launch: --grid 2 --block 1
// arg: s32[4]
// arg: s32[1]
// arg: s32[4]
// expect bad_no_writer_fence: race+unordered
// expect bad_no_reader_fence: race+unordered
// expect bad_no_fence: race+unordered
// expect bad_writer_fence_late: race+unordered
// expect bad_reader_fence_early: race+unordered
// expect bad_reads_between: race
// expect good: clean

extern "C" __global__ void good(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

extern "C" __global__ void bad_no_writer_fence(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

extern "C" __global__ void bad_no_reader_fence(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        out[0] = data[0];
    }
}

extern "C" __global__ void bad_no_fence(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        out[0] = data[0];
    }
}

extern "C" __global__ void bad_writer_fence_late(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        *flag = 1;
        __threadfence();
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

extern "C" __global__ void bad_reader_fence_early(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        __threadfence();
        while (*flag == 0)
            ;
        out[0] = data[0];
    }
}

// The flag is a proper one, but data[1] is written after the fence, and data[2] read before it.
extern "C" __global__ void bad_reads_between(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[2] = 44;
        __threadfence();
        data[1] = 43;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        out[2] = data[2];
        __threadfence();
        out[1] = data[1];
    }
}
