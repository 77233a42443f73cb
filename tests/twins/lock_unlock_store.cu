// what: a lock may be left by a volatile store behind a fence; a plain store races with whoever tries the lock
// launch: --grid 4 --block 1
// arg: s32[1]
// arg: s32[1]
// expect bad_plain: race
// expect bad_volatile_no_fence: race
// expect bad_fence_after: race
// expect good: clean

#define COUNT(leave)                                                                             \
    while (atomicCAS(lock, 0, 1) != 0)                                                           \
        ;                                                                                        \
    __threadfence();                                                                             \
    *count += 1;                                                                                 \
    leave

extern "C" __global__ void good(int *lock, int *count)
{
    COUNT(__threadfence(); *(volatile int *)lock = 0;)
}

extern "C" __global__ void bad_plain(int *lock, int *count)
{
    COUNT(__threadfence(); *lock = 0;)
}

extern "C" __global__ void bad_volatile_no_fence(int *lock, int *count)
{
    COUNT(*(volatile int *)lock = 0;)
}

extern "C" __global__ void bad_fence_after(int *lock, int *count)
{
    COUNT(*(volatile int *)lock = 0; __threadfence();)
}
