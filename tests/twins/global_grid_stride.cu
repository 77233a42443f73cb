// what: a loop over all cells in strides of the grid; in `bad` the stride is the block's, so that blocks share cells, in `bad_chunk` the chunks of the threads overlap by one
// launch: --grid 2 --block 32
// arg: s32[256]=iota
// expect bad: race
// expect bad_chunk: race
// expect good: clean
// expect good_chunk: clean

extern "C" __global__ void bad(int *a)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 256; i += blockDim.x)
        a[i] *= 2;
}

extern "C" __global__ void bad_chunk(int *a)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned last = i == 63 ? 255 : 4 * i + 4;
    for (unsigned j = 4 * i; j <= last; j++)
        a[j] *= 2;
}

extern "C" __global__ void good(int *a)
{
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 256; i += stride)
        a[i] *= 2;
}

extern "C" __global__ void good_chunk(int *a)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned j = 4 * i; j < 4 * i + 4; j++)
        a[j] *= 2;
}
