// what: a tree reduction in global memory over all blocks, without a barrier across the grid (`bad`), with block barriers only (`bad_barrier`); in `good` each block reduces its own part
// launch: --grid 4 --block 64
// arg: f32[256]=iota
// expect bad: race
// expect bad_barrier: race
// expect good: clean

extern "C" __global__ void bad(float *f)
{
    unsigned n = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned j = 1; j < n; j *= 2) {
        if (i % (2 * j) != 0)
            return;
        f[i] += f[i + j];
    }
}

extern "C" __global__ void bad_barrier(float *f)
{
    unsigned n = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned j = 1; j < n; j *= 2) {
        if (i % (2 * j) == 0)
            f[i] += f[i + j];
        __syncthreads();
    }
}

extern "C" __global__ void good(float *f)
{
    float *part = f + blockIdx.x * blockDim.x;
    unsigned i = threadIdx.x;
    for (unsigned j = 1; j < blockDim.x; j *= 2) {
        if (i % (2 * j) == 0)
            part[i] += part[i + j];
        __syncthreads();
    }
}
