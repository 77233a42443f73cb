// what: a ticket lock: draw a number, wait until it is served, then serve the next. With one fence of two the numbers served are still a proper flag; the counter is what races
// launch: --grid 4 --block 1
// arg: u32[2]
// arg: s32[1]
// expect bad_no_acquire: race
// expect bad_no_release: race
// expect bad_no_fence: race+unordered
// expect bad_plain_serve: race
// expect bad_atomic_serve_no_fence: race
// expect good: clean
// expect good_atomic_serve: clean

#define COUNT(acquire, release, serve)                                                           \
    unsigned mine = atomicAdd(&lock[0], 1);                                                      \
    while (*(volatile unsigned *)&lock[1] != mine)                                               \
        ;                                                                                        \
    acquire;                                                                                     \
    *count += 1;                                                                                 \
    release;                                                                                     \
    serve

extern "C" __global__ void good(unsigned *lock, int *count)
{
    COUNT(__threadfence(), __threadfence(), *(volatile unsigned *)&lock[1] = mine + 1;)
}

extern "C" __global__ void good_atomic_serve(unsigned *lock, int *count)
{
    COUNT(__threadfence(), __threadfence(), atomicAdd(&lock[1], 1);)
}

extern "C" __global__ void bad_no_acquire(unsigned *lock, int *count)
{
    COUNT(, __threadfence(), *(volatile unsigned *)&lock[1] = mine + 1;)
}

extern "C" __global__ void bad_no_release(unsigned *lock, int *count)
{
    COUNT(__threadfence(), , *(volatile unsigned *)&lock[1] = mine + 1;)
}

extern "C" __global__ void bad_no_fence(unsigned *lock, int *count)
{
    COUNT(, , *(volatile unsigned *)&lock[1] = mine + 1;)
}

extern "C" __global__ void bad_plain_serve(unsigned *lock, int *count)
{
    COUNT(__threadfence(), __threadfence(), lock[1] = mine + 1;)
}

extern "C" __global__ void bad_atomic_serve_no_fence(unsigned *lock, int *count)
{
    COUNT(, , atomicAdd(&lock[1], 1);)
}
