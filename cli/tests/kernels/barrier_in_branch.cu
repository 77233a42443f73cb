// Shifts the cells of a block by one. Wrong: the barrier is only for the first n threads.
extern "C" __global__ void barrier_in_branch(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;

    cells[t] = in[t];
    if (t < n) {
        __syncthreads();
        out[t] = cells[(t + 1) % n];
    }
    __syncthreads();
}
