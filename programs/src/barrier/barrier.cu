// 64 numbers in reverse order, by a block of two warps: each thread leaves its number in shared memory and
// takes that of another thread of the other warp. A barrier belongs between the two; here it stands in a
// conditional.

enum { THREADS = 64 };

// Reached by all: the condition is the same for all threads of the block. Right.
extern "C" __global__ void barrier_all(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    cells[t] = in[t];
    if (n > 1)
        __syncthreads();
    out[t] = cells[THREADS - 1 - t];
}

// Reached by one warp of two: the other warp waits for nobody.
extern "C" __global__ void barrier_some_warps(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    cells[t] = in[t];
    if (t < 32)
        __syncthreads();
    out[t] = cells[THREADS - 1 - t];
}

// Reached by half of the lanes of each warp.
extern "C" __global__ void barrier_part_of_warp(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    cells[t] = in[t];
    if (t % 2 == 0)
        __syncthreads();
    out[t] = cells[THREADS - 1 - t];
}

// On both sides of a branch that parts each warp: two barriers, and each waits for threads that wait at the
// other.
extern "C" __global__ void barrier_both_sides(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[THREADS - 1 - t];
    } else {
        cells[t] = in[t] + 0 * n;
        __syncthreads();
        out[t] = cells[THREADS - 1 - t];
    }
}

// On both sides of a branch that no warp is parted by.
extern "C" __global__ void barrier_by_warp(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    if (t < 32) {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[THREADS - 1 - t];
    } else {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[THREADS - 1 - t];
    }
}
