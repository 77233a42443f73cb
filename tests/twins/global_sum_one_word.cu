// what: all threads add one to a word: plainly, through volatile (strong but not atomic: only a warning), atomically
// launch: --grid 2 --block 64
// arg: s32[1]
// expect bad: race
// expect bad_volatile: unordered
// expect bad_atomic_and_plain: race
// expect good: clean

extern "C" __global__ void bad(int *out)
{
    out[0] += 1;
}

extern "C" __global__ void bad_volatile(volatile int *out)
{
    out[0] = out[0] + 1;
}

// Threads of the first block use the atomic, the others do not.
extern "C" __global__ void bad_atomic_and_plain(int *out)
{
    if (blockIdx.x == 0)
        atomicAdd(out, 1);
    else if (threadIdx.x == 0)
        out[0] += 1;
}

extern "C" __global__ void good(int *out)
{
    atomicAdd(out, 1);
}
