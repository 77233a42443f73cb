// Turns the cells of each block round, in dynamic shared memory.
extern "C" __global__ void reverse(int *cells)
{
    extern __shared__ int copy[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    copy[t] = cells[i];
    __syncthreads();
    cells[i] = copy[blockDim.x - 1 - t];
}
