// what: thread 0 of each block adds to a plain counter under a spin lock; taking the lock must be followed, leaving it preceded, by a fence that reaches the other blocks
// launch: --grid 4 --block 32
// arg: s32[1]
// arg: s32[1]
// expect bad_no_acquire: race
// expect bad_no_release: race
// expect bad_no_fence: race
// expect bad_block_fences: race
// expect bad_release_late: race
// expect good: clean
// expect good_exchange: clean

#define COUNT(take, acquire, release, leave)                                                     \
    if (threadIdx.x == 0) {                                                                      \
        while (take)                                                                             \
            ;                                                                                    \
        acquire;                                                                                 \
        *count += 1;                                                                             \
        release;                                                                                 \
        leave;                                                                                   \
    }
#define TAKE (atomicCAS(lock, 0, 1) != 0)
#define LEAVE atomicExch(lock, 0)

extern "C" __global__ void good(int *lock, int *count)
{
    COUNT(TAKE, __threadfence(), __threadfence(), LEAVE)
}

extern "C" __global__ void good_exchange(int *lock, int *count)
{
    COUNT(atomicExch(lock, 1) != 0, __threadfence(), __threadfence(), LEAVE)
}

extern "C" __global__ void bad_no_acquire(int *lock, int *count)
{
    COUNT(TAKE, , __threadfence(), LEAVE)
}

extern "C" __global__ void bad_no_release(int *lock, int *count)
{
    COUNT(TAKE, __threadfence(), , LEAVE)
}

extern "C" __global__ void bad_no_fence(int *lock, int *count)
{
    COUNT(TAKE, , , LEAVE)
}

extern "C" __global__ void bad_block_fences(int *lock, int *count)
{
    COUNT(TAKE, __threadfence_block(), __threadfence_block(), LEAVE)
}

extern "C" __global__ void bad_release_late(int *lock, int *count)
{
    COUNT(TAKE, __threadfence(), , LEAVE; __threadfence())
}
