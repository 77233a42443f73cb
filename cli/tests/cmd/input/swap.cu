// Each thread writes its own cell and reads its partner's in the other warp.

extern "C" __global__ void swap(int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = t;
    out[t] = cells[t ^ 32];
}

extern "C" __global__ void swap_volatile(int *out)
{
    volatile __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = t;
    out[t] = cells[t ^ 32];
}

extern "C" __global__ void swap_barrier(int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = t;
    __syncthreads();
    out[t] = cells[t ^ 32];
}
