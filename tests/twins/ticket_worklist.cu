// what: threads that find something append it to a list: the place is drawn by an atomic, not by `list[n++]`; in `bad_too_short` the list has no room and nobody looks, in `bad_ring` the places come round again
// launch: --grid 2 --block 32
// launch bad: --arg u32[64]
// launch bad_too_short: --arg u32[8]
// launch bad_ring: --arg u32[8]
// launch good: --arg u32[64]
// launch good_too_short: --arg u32[8]
// arg: u32[64]=iota
// arg: u32[1]
// expect bad: race
// expect bad_too_short: out-of-bounds
// expect bad_ring: race
// expect good: clean
// expect good_too_short: clean

extern "C" __global__ void good(const unsigned *in, unsigned *n, unsigned *list)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0)
        list[atomicAdd(n, 1)] = i;
}

extern "C" __global__ void bad(const unsigned *in, unsigned *n, unsigned *list)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0)
        list[(*n)++] = i;
}

extern "C" __global__ void bad_too_short(const unsigned *in, unsigned *n, unsigned *list)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0)
        list[atomicAdd(n, 1)] = i;
}

extern "C" __global__ void good_too_short(const unsigned *in, unsigned *n, unsigned *list)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0) {
        unsigned place = atomicAdd(n, 1);
        if (place < 8)
            list[place] = i;
    }
}

extern "C" __global__ void bad_ring(const unsigned *in, unsigned *n, unsigned *list)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0)
        list[atomicInc(n, 7)] = i;
}
