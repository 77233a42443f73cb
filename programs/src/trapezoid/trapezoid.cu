// The integral of f from a to b by the trapezoidal rule: n points at a distance of h = (b - a) / (n - 1), one a thread. Each thread
// computes f at its point, times h, and half of that at the two ends. What is left is to add n numbers, and how that is done is
// what the kernels differ in.

// sin(g) + 2 cos(g) with g = 2 - x + x^2 / 2 - x^3 / 5.
__device__ __forceinline__ double f(double x)
{
    double g = 2 + x * (-1 + x * (0.5 - x * 0.2));
    return sin(g) + 2 * cos(g);
}

// What point i adds to the sum.
__device__ __forceinline__ double share(double a, double b, int n, int i)
{
    double h = (b - a) / (n - 1);
    double area = f(a + i * h) * h;
    return i == 0 || i == n - 1 ? area / 2 : area;
}

// Each thread writes its share into the array; the kernels below add up what is there.
extern "C" __global__ void evaluate(double *sums, double a, double b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sums[i] = share(a, b, n, i);
}

// Wrong: a thread adds its neighbour's sum without having waited for it. Nothing can make it wait: a neighbour may be
// in another block, and blocks need not run at the same time.
extern "C" __global__ void whole_grid(double *sums, double a, double b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    sums[i] = share(a, b, n, i);
    for (int jump = 1; jump < n; jump *= 2) {
        if (i % (2 * jump) != 0)
            return;
        if (i + jump < n)
            sums[i] += sums[i + jump];
    }
}

// Right: only within the block, whose threads wait for each other after each step. The sum of each block is left in its first
// cell, and the host adds those up. The cells past n are zeros.
extern "C" __global__ void each_block(double *sums, double *blocks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int jump = 1; jump < blockDim.x; jump *= 2) {
        if (threadIdx.x % (2 * jump) == 0)
            sums[i] += sums[i + jump];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        blocks[blockIdx.x] = sums[i];
}

enum { THREADS = 256 };

// Right: the same in shared memory.
extern "C" __global__ void interleaved(double *sums, double *blocks, int n)
{
    __shared__ double cells[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = threadIdx.x;
    cells[j] = i < n ? sums[i] : 0;
    __syncthreads();
    for (int jump = 1; jump < blockDim.x; jump *= 2) {
        if (j % (2 * jump) == 0)
            cells[j] += cells[j + jump];
        __syncthreads();
    }
    if (j == 0)
        blocks[blockIdx.x] = cells[0];
}

// Right, and with less left undone: the threads that add are side by side, so that whole warps are done early, where in the kernel
// above every warp goes on with fewer and fewer of its lanes.
extern "C" __global__ void sequential(double *sums, double *blocks, int n)
{
    __shared__ double cells[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = threadIdx.x;
    cells[j] = i < n ? sums[i] : 0;
    __syncthreads();
    for (int jump = blockDim.x / 2; jump > 0; jump /= 2) {
        if (j < jump)
            cells[j] += cells[j + jump];
        __syncthreads();
    }
    if (j == 0)
        blocks[blockIdx.x] = cells[0];
}
