// what: each thread writes its cell and then reads its neighbour's; a barrier orders the threads of a block, but not the last of one block and the first of the next
// launch: --grid 3 --block 64
// arg: s32[192]
// arg: s32[192]
// expect bad: race
// expect bad_barrier: race
// expect good: clean

extern "C" __global__ void bad(int *cells, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = gridDim.x * blockDim.x;
    cells[i] = i * 3;
    out[i] = cells[(i + 1) % n];
}

extern "C" __global__ void bad_barrier(int *cells, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = gridDim.x * blockDim.x;
    cells[i] = i * 3;
    __syncthreads();
    out[i] = cells[(i + 1) % n];
}

// Neighbours inside the block only.
extern "C" __global__ void good(int *cells, int *out)
{
    unsigned first = blockIdx.x * blockDim.x, t = threadIdx.x;
    cells[first + t] = t * 3;
    __syncthreads();
    out[first + t] = cells[first + (t + 1) % blockDim.x];
}
