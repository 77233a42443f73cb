// what: two blocks each raise a volatile flag and look at the other's: nothing orders the look and the raise, with or without fences between; by atomics the accesses are meant for each other
//   doubtful: with `bad_fence` the fences do exclude that both see nothing, but what each sees still depends on the schedule
// launch: --grid 2 --block 1
// arg: s32[2]
// arg: s32[2]
// expect bad: unordered
// expect bad_fence: unordered
// expect bad_plain: race
// expect good: clean

extern "C" __global__ void bad(volatile int *flags, int *out)
{
    flags[blockIdx.x] = 1;
    out[blockIdx.x] = flags[1 - blockIdx.x];
}

extern "C" __global__ void bad_fence(volatile int *flags, int *out)
{
    flags[blockIdx.x] = 1;
    __threadfence();
    out[blockIdx.x] = flags[1 - blockIdx.x];
}

extern "C" __global__ void bad_plain(int *flags, int *out)
{
    flags[blockIdx.x] = 1;
    __threadfence();
    out[blockIdx.x] = flags[1 - blockIdx.x];
}

extern "C" __global__ void good(int *flags, int *out)
{
    atomicExch(&flags[blockIdx.x], 1);
    __threadfence();
    out[blockIdx.x] = atomicAdd(&flags[1 - blockIdx.x], 0);
}
