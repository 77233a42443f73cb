// what: to hand data over, both the flag and the fences must have a scope that includes the other thread; one narrow part of four is enough to break it
// launch: --grid 2 --block 32
// arg: s32[1]
// arg: s32[1]
// arg: s32[1]
// expect bad_set: race
// expect bad_get: race
// expect bad_release: race
// expect bad_acquire: race
// expect good: clean
// expect good_wider: clean

#define PASS(release, set, get, acquire)                                                         \
    if (threadIdx.x == 0) {                                                                      \
        if (blockIdx.x == 0) {                                                                   \
            *data = 42;                                                                          \
            release();                                                                           \
            set(flag, 1);                                                                        \
        } else {                                                                                 \
            while (get(flag, 0) == 0)                                                            \
                ;                                                                                \
            acquire();                                                                           \
            *out = *data;                                                                        \
        }                                                                                        \
    }

extern "C" __global__ void good(int *data, int *flag, int *out)
{
    PASS(__threadfence, atomicExch, atomicOr, __threadfence)
}

extern "C" __global__ void good_wider(int *data, int *flag, int *out)
{
    PASS(__threadfence_system, atomicExch_system, atomicOr, __threadfence_system)
}

extern "C" __global__ void bad_set(int *data, int *flag, int *out)
{
    PASS(__threadfence, atomicExch_block, atomicOr, __threadfence)
}

extern "C" __global__ void bad_get(int *data, int *flag, int *out)
{
    PASS(__threadfence, atomicExch, atomicOr_block, __threadfence)
}

extern "C" __global__ void bad_release(int *data, int *flag, int *out)
{
    PASS(__threadfence_block, atomicExch, atomicOr, __threadfence)
}

extern "C" __global__ void bad_acquire(int *data, int *flag, int *out)
{
    PASS(__threadfence, atomicExch, atomicOr, __threadfence_block)
}
