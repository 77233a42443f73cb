// what: a lock for many readers or one writer: blocks 0 and 1 write, the others read
// launch: --grid 5 --block 1
// arg: s32[1]
// arg: s32[2]=list:1,1
// arg: s32[5]
// expect bad_reader_without: race
// expect bad_reader_no_fence: race
// expect good: clean

__device__ __forceinline__ void take_to_write(int *lock)
{
    while (atomicCAS(lock, 0, -1) != 0)
        ;
    __threadfence();
}

__device__ __forceinline__ void take_to_read(int *lock)
{
    int seen;
    do {
        seen = *(volatile int *)lock;
    } while (seen < 0 || atomicCAS(lock, seen, seen + 1) != seen);
    __threadfence();
}

__device__ __forceinline__ void leave_writer(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

__device__ __forceinline__ void leave_reader(int *lock)
{
    __threadfence();
    atomicSub(lock, 1);
}

extern "C" __global__ void good(int *lock, int *data, int *out)
{
    if (blockIdx.x < 2) {
        take_to_write(lock);
        data[0] += blockIdx.x;
        data[1] = data[0];
        leave_writer(lock);
    } else {
        take_to_read(lock);
        out[blockIdx.x] = data[1] - data[0];
        leave_reader(lock);
    }
}

extern "C" __global__ void bad_reader_without(int *lock, int *data, int *out)
{
    if (blockIdx.x < 2) {
        take_to_write(lock);
        data[0] += blockIdx.x;
        data[1] = data[0];
        leave_writer(lock);
    } else {
        out[blockIdx.x] = data[1] - data[0];
    }
}

// Neither taking nor leaving it is ordered with the reads.
extern "C" __global__ void bad_reader_no_fence(int *lock, int *data, int *out)
{
    if (blockIdx.x < 2) {
        take_to_write(lock);
        data[0] += blockIdx.x;
        data[1] = data[0];
        leave_writer(lock);
    } else {
        int seen;
        do {
            seen = *(volatile int *)lock;
        } while (seen < 0 || atomicCAS(lock, seen, seen + 1) != seen);
        out[blockIdx.x] = data[1] - data[0];
        atomicSub(lock, 1);
    }
}
