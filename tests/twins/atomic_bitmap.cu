// what: threads set bits of common words: `|=` loses bits, and bytes of one word are another width than the word
// launch: --grid 2 --block 64
// arg: u32[128]=rand:9:0:255
// arg: u32[8]
// expect bad: race
// expect bad_byte: race
// expect good: clean
// expect good_first: clean

extern "C" __global__ void bad(const unsigned *in, unsigned *bits)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    bits[v / 32] |= 1u << v % 32;
}

extern "C" __global__ void bad_byte(const unsigned *in, unsigned *bits)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (blockIdx.x == 0)
        atomicOr(&bits[v / 32], 1u << v % 32);
    else if (threadIdx.x == 0)
        for (unsigned i = 0; i < 32; i++)
            ((volatile unsigned char *)bits)[i] = 0;
}

extern "C" __global__ void good(const unsigned *in, unsigned *bits)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
    atomicOr(&bits[v / 32], 1u << v % 32);
}

// The first to set the bit of a word counts it.
extern "C" __global__ void good_first(const unsigned *in, unsigned *bits)
{
    unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x] % 224;
    unsigned old = atomicOr(&bits[v / 32], 1u << v % 32);
    if ((old >> v % 32 & 1) == 0)
        atomicAdd(&bits[7], 1);
}
