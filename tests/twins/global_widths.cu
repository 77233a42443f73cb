// what: a thread writes a word of which another reads or writes one half, weakly (`bad`) or by atomics of different widths (`bad_atomics`: strong, but they overlap only in part)
// launch: --grid 2 --block 1
// arg: u64[4]
// expect bad: race
// expect bad_read: race
// expect bad_atomics: race
// expect good: clean
// expect good_atomics: clean

extern "C" __global__ void bad(unsigned long long *out)
{
    if (blockIdx.x == 0)
        out[0] = 0x1111222233334444ull;
    else
        ((unsigned short *)out)[3] = 7;
}

extern "C" __global__ void bad_read(unsigned long long *out)
{
    if (blockIdx.x == 0)
        out[0] = 0x1111222233334444ull;
    else
        out[1] = ((unsigned *)out)[1];
}

extern "C" __global__ void bad_atomics(unsigned long long *out)
{
    if (blockIdx.x == 0)
        atomicAdd(&out[0], 1ull << 32);
    else
        atomicAdd(&((unsigned *)out)[1], 1u);
}

extern "C" __global__ void good(unsigned long long *out)
{
    if (blockIdx.x == 0)
        ((unsigned *)out)[0] = 7;
    else
        ((unsigned short *)out)[2] = 7;
}

extern "C" __global__ void good_atomics(unsigned long long *out)
{
    if (blockIdx.x == 0)
        atomicAdd(&((unsigned *)out)[0], 1u);
    else
        atomicAdd(&((unsigned *)out)[1], 1u);
}
