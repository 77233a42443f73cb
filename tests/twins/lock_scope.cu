// what: a lock by block-scoped atomics is a lock for the threads of one block only, on both of its ends
// launch: --block 64
// launch bad: --grid 4
// launch bad_take: --grid 4
// launch bad_leave: --grid 4
// launch good: --grid 4
// launch good_inside_block: --grid 1
// arg: s32[1]
// arg: s32[1]
// expect bad: race
// expect bad_take: race
// expect bad_leave: race
// expect good: clean
// expect good_inside_block: clean

#define COUNT(cas, fence, exchange)                                                              \
    if (threadIdx.x % 32 == 0) {                                                                 \
        while (cas(lock, 0, 1) != 0)                                                             \
            ;                                                                                    \
        fence();                                                                                 \
        *count += 1;                                                                             \
        fence();                                                                                 \
        exchange(lock, 0);                                                                       \
    }

extern "C" __global__ void good(int *lock, int *count)
{
    COUNT(atomicCAS, __threadfence, atomicExch)
}

extern "C" __global__ void good_inside_block(int *lock, int *count)
{
    COUNT(atomicCAS_block, __threadfence_block, atomicExch_block)
}

extern "C" __global__ void bad(int *lock, int *count)
{
    COUNT(atomicCAS_block, __threadfence, atomicExch_block)
}

extern "C" __global__ void bad_take(int *lock, int *count)
{
    COUNT(atomicCAS_block, __threadfence, atomicExch)
}

extern "C" __global__ void bad_leave(int *lock, int *count)
{
    COUNT(atomicCAS, __threadfence, atomicExch_block)
}
