// The sum of the numbers of a block, in a tree: half of the threads add the other half's, then a
// quarter, and so on, with __syncthreads() after each step. The host sums the sums of the blocks in the same way.

enum { THREADS = 256 };

// Right: every thread of the block passes every barrier.
extern "C" __global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            cells[t] += cells[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = cells[0];
}
