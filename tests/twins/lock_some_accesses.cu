// what: a lock protects what everybody accesses under it, and under the same lock
// launch: --grid 4 --block 32
// arg: s32[2]
// arg: s32[1]
// arg: s32[4]
// expect bad_read_after: race
// expect bad_read_before: race
// expect bad_one_without: race
// expect bad_two_locks: race
// expect bad_whole_block: race
// expect good: clean
// expect good_whole_block: clean

__device__ __forceinline__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ __forceinline__ void leave(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void good(int *locks, int *count, int *out)
{
    if (threadIdx.x == 0) {
        take(locks);
        int seen = *count += 1;
        leave(locks);
        out[blockIdx.x] = seen;
    }
}

extern "C" __global__ void bad_read_after(int *locks, int *count, int *out)
{
    if (threadIdx.x == 0) {
        take(locks);
        *count += 1;
        leave(locks);
        out[blockIdx.x] = *count;
    }
}

extern "C" __global__ void bad_read_before(int *locks, int *count, int *out)
{
    if (threadIdx.x == 0) {
        int seen = *count;
        take(locks);
        *count = seen + 1;
        leave(locks);
        out[blockIdx.x] = seen;
    }
}

extern "C" __global__ void bad_one_without(int *locks, int *count, int *)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == 2) {
            *count += 1;
        } else {
            take(locks);
            *count += 1;
            leave(locks);
        }
    }
}

extern "C" __global__ void bad_two_locks(int *locks, int *count, int *)
{
    if (threadIdx.x == 0) {
        int *lock = locks + blockIdx.x % 2;
        take(lock);
        *count += 1;
        leave(lock);
    }
}

// Thread 0 holds the lock for the block: barriers carry it to the others.
extern "C" __global__ void good_whole_block(int *locks, int *count, int *out)
{
    if (threadIdx.x == 0)
        take(locks);
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0)
        leave(locks);
}

// Left before the others have finished.
extern "C" __global__ void bad_whole_block(int *locks, int *count, int *out)
{
    if (threadIdx.x == 0)
        take(locks);
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] += 1;
    if (threadIdx.x == 0)
        leave(locks);
}
