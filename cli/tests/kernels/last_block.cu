// The sum of all numbers in one launch: the block that draws the last ticket sums the blocks' sums.
__device__ int sum_of_block(int number)
{
    __shared__ int cells[32];
    cells[threadIdx.x] = number;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            cells[threadIdx.x] += cells[threadIdx.x + half];
        }
        __syncthreads();
    }
    return cells[0];
}

extern "C" __global__ void last_block(const int *in, int *sums, unsigned *ticket, int *all)
{
    __shared__ bool is_last;
    int sum = sum_of_block(in[blockIdx.x * blockDim.x + threadIdx.x]);

    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) {
        sum = sum_of_block(threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            *all = sum;
        }
    }
}
