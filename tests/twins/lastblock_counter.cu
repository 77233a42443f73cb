// what: the ticket is an atomic; a plain or volatile counter loses tickets. The last block may set the counter back with a plain store, as it has seen all tickets; the first may not
// launch: --grid 4 --block 1
// arg: u32[1]
// arg: s32[4]
// expect bad_plain: race
// expect bad_volatile: race+unordered | unordered
// expect bad_reset_by_first: race
// expect good: clean

extern "C" __global__ void good(unsigned *count, int *out)
{
    unsigned ticket = atomicAdd(count, 1);
    out[ticket] = blockIdx.x + 1;
    if (ticket == gridDim.x - 1)
        *count = 0;
}

extern "C" __global__ void bad_reset_by_first(unsigned *count, int *out)
{
    unsigned ticket = atomicAdd(count, 1);
    out[ticket % 4] = blockIdx.x + 1;
    if (ticket == 0)
        *count = 0;
}

extern "C" __global__ void bad_plain(unsigned *count, int *out)
{
    unsigned ticket = (*count)++;
    out[ticket] = blockIdx.x + 1;
}

extern "C" __global__ void bad_volatile(unsigned *count, int *out)
{
    volatile unsigned *c = count;
    unsigned ticket = *c;
    *c = ticket + 1;
    out[ticket] = blockIdx.x + 1;
}
