// what: neighbouring threads write neighbouring bytes of one word, which is no conflict; in `bad` each writes two bytes, in `bad_word` one thread writes the word to which the bytes belong
// launch: --grid 2 --block 32
// arg: u8[68]
// expect bad: race
// expect bad_word: race
// expect bad_read_word: race
// expect good: clean
// expect good_halves: clean

extern "C" __global__ void bad(unsigned char *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
    out[i + 1] = i;
}

extern "C" __global__ void bad_word(unsigned char *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 8)
        *(unsigned *)(out + 8) = 0x01020304;
    else
        out[i] = i;
}

extern "C" __global__ void bad_read_word(unsigned char *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        *(unsigned *)(out + 64) = *(unsigned *)(out + 8);
    else
        out[i] = i;
}

extern "C" __global__ void good(unsigned char *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}

// The even thread of each four writes the lower half of the word, the next but one the upper.
extern "C" __global__ void good_halves(unsigned char *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0)
        *(unsigned short *)(out + i) = i;
}
