// The sum of the numbers of a block, as `reduce` does it, but the last six steps, in which one warp
// is left, are unrolled and pass no barrier: the lanes of a warp are trusted to move together.
//
// All 32 lanes do all six steps. What lanes past the first 16, 8, 4, 2, 1 compute there is of no use to anybody, and harms
// nobody as long as every lane has read before any lane writes.

enum { THREADS = 256 };

// Wrong as soon as a compiler keeps sum[0] in a register.
extern "C" __global__ void reduce_tail_plain(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half)
            cells[t] += cells[t + half];
        __syncthreads();
    }
    if (t < 32) {
        int *sum = cells + t;
        sum[0] += sum[32];
        sum[0] += sum[16];
        sum[0] += sum[8];
        sum[0] += sum[4];
        sum[0] += sum[2];
        sum[0] += sum[1];
    }
    if (t == 0)
        out[blockIdx.x] = cells[0];
}

// Right as long as the lanes of the warp move together.
extern "C" __global__ void reduce_tail_volatile(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half)
            cells[t] += cells[t + half];
        __syncthreads();
    }
    if (t < 32) {
        volatile int *sum = cells + t;
        sum[0] += sum[32];
        sum[0] += sum[16];
        sum[0] += sum[8];
        sum[0] += sum[4];
        sum[0] += sum[2];
        sum[0] += sum[1];
    }
    if (t == 0)
        out[blockIdx.x] = cells[0];
}

// Right: between two __syncwarp() nobody writes what another lane reads there.
extern "C" __global__ void reduce_tail_syncwarp(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half)
            cells[t] += cells[t + half];
        __syncthreads();
    }
    if (t < 32) {
        for (int half = 32; half > 0; half /= 2) {
            int other = cells[t + half];
            __syncwarp();
            cells[t] += other;
            __syncwarp();
        }
    }
    if (t == 0)
        out[blockIdx.x] = cells[0];
}

// Right: the lanes hand their sums over from register to register.
extern "C" __global__ void reduce_tail_shuffle(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half)
            cells[t] += cells[t + half];
        __syncthreads();
    }
    if (t < 32) {
        int sum = cells[t] + cells[t + 32];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

// Right: one instruction adds up what the lanes hold (sm_80).
extern "C" __global__ void reduce_tail_redux(const int *in, int *out, int n)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half)
            cells[t] += cells[t + half];
        __syncthreads();
    }
    if (t < 32) {
        int sum = __reduce_add_sync(0xffffffff, cells[t] + cells[t + 32]);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}
