// what: what is read under a lock is written behind it: the fences of the lock order the lock, not that; in `good` it is written under the lock
// launch: --grid 2 --block 1
// arg: u32[1]
// arg: u32[1]
// arg: u32[2]
// expect bad: unordered
// expect bad_plain: race
// expect good: clean

#define LOCK                                                                                     \
    while (atomicCAS(lock, 0, 1) != 0)                                                           \
        ;                                                                                        \
    __threadfence()
#define UNLOCK                                                                                   \
    __threadfence();                                                                             \
    atomicExch(lock, 0)

extern "C" __global__ void bad(volatile unsigned *data, unsigned *lock, unsigned *out)
{
    LOCK;
    out[blockIdx.x] = *data;
    UNLOCK;
    if (blockIdx.x == 0)
        *data = 1;
}

extern "C" __global__ void bad_plain(unsigned *data, unsigned *lock, unsigned *out)
{
    LOCK;
    out[blockIdx.x] = *data;
    UNLOCK;
    if (blockIdx.x == 0)
        *data = 1;
}

extern "C" __global__ void good(volatile unsigned *data, unsigned *lock, unsigned *out)
{
    LOCK;
    out[blockIdx.x] = *data;
    if (blockIdx.x == 0)
        *data = 1;
    UNLOCK;
}
