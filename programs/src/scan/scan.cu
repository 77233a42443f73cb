// The inclusive prefix sum of any number of ints, built from the scan of 32.
//
// A block of 1024 threads scans 1024 numbers: each of its 32 warps scans 32 of them, then the first
// warp scans the 32 totals, and every warp adds what lies before it. The host scans the
// totals of the blocks in the same way, and add_totals adds them.
//
// Warps wait for each other at __syncthreads(), blocks at the end of the kernel. What differs between the
// forms is only how the lanes of one warp wait for each other inside the scan of 32.

enum { LANES = 32, WARPS = 32 };

// Warp-synchronous, through a plain pointer: wrong as soon as a compiler keeps sum[0] in a register.
struct Plain
{
    static __device__ __forceinline__ int scan(int *cells, int t, int value)
    {
        int *sum = cells + t + LANES;
        cells[t] = 0;
        sum[0] = value;
        sum[0] += sum[-1];
        sum[0] += sum[-2];
        sum[0] += sum[-4];
        sum[0] += sum[-8];
        sum[0] += sum[-16];
        return sum[0];
    }
};

// Warp-synchronous, through a volatile pointer: right as long as the lanes move together.
struct Volatile
{
    static __device__ __forceinline__ int scan(volatile int *cells, int t, int value)
    {
        volatile int *sum = cells + t + LANES;
        cells[t] = 0;
        sum[0] = value;
        sum[0] += sum[-1];
        sum[0] += sum[-2];
        sum[0] += sum[-4];
        sum[0] += sum[-8];
        sum[0] += sum[-16];
        return sum[0];
    }
};

// Right: __syncwarp() between the steps, and between reading the neighbour and writing one's own cell.
struct Syncwarp
{
    static __device__ __forceinline__ int scan(int *cells, int t, int value)
    {
        int *sum = cells + t + LANES;
        cells[t] = 0;
        sum[0] = value;
        __syncwarp();
        for (int distance = 1; distance < LANES; distance *= 2) {
            int left = sum[-distance];
            __syncwarp();
            sum[0] += left;
            __syncwarp();
        }
        return sum[0];
    }
};

// Scans the 1024 numbers of this block, and leaves their total in totals[blockIdx.x].
template <class Form>
__device__ __forceinline__ void scan_block(const int *in, int *out, int *totals, int n)
{
    __shared__ int cells[WARPS][2 * LANES];
    __shared__ int warp_totals[WARPS];
    int t = threadIdx.x % LANES;
    int warp = threadIdx.x / LANES;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = Form::scan(cells[warp], t, i < n ? in[i] : 0);
    if (t == LANES - 1)
        warp_totals[warp] = sum;
    __syncthreads();
    if (warp == 0)
        warp_totals[t] = Form::scan(cells[0], t, warp_totals[t]);
    __syncthreads();
    if (warp > 0)
        sum += warp_totals[warp - 1];

    if (i < n)
        out[i] = sum;
    if (threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = sum;
}

extern "C" __global__ void scan_blocks_plain(const int *in, int *out, int *totals, int n)
{
    scan_block<Plain>(in, out, totals, n);
}

extern "C" __global__ void scan_blocks_volatile(const int *in, int *out, int *totals, int n)
{
    scan_block<Volatile>(in, out, totals, n);
}

extern "C" __global__ void scan_blocks_syncwarp(const int *in, int *out, int *totals, int n)
{
    scan_block<Syncwarp>(in, out, totals, n);
}

// Adds to each number the total of all blocks before its own.
extern "C" __global__ void add_totals(int *out, const int *totals, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += totals[blockIdx.x - 1];
}
