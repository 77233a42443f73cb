// The inclusive prefix sum of 32 numbers by one warp, in three forms that differ only in how they
// reach shared memory. The kernels pass no barrier between the steps: they are warp-synchronous,
// which is what makes them interesting.
//
// data[0..31] are zeros, data[32..63] the running sums: lane t owns data[t + 32], and what lies
// to the left of lane 0's cell adds nothing. In step d (1, 2, 4, 8, 16) lane t adds the cell d to the left.

// A plain pointer: the compiler may keep data[t + 32] in a register.
extern "C" __global__ void scan_plain(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    int *data = cells;
    data[t] = 0;
    data[t + 32] = in[t];
    data[t + 32] += data[t + 31];
    data[t + 32] += data[t + 30];
    data[t + 32] += data[t + 28];
    data[t + 32] += data[t + 24];
    data[t + 32] += data[t + 16];
    out[t] = data[t + 32];
}

// A volatile pointer: every access happens.
extern "C" __global__ void scan_volatile(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    volatile int *data = cells;
    data[t] = 0;
    data[t + 32] = in[t];
    data[t + 32] += data[t + 31];
    data[t + 32] += data[t + 30];
    data[t + 32] += data[t + 28];
    data[t + 32] += data[t + 24];
    data[t + 32] += data[t + 16];
    out[t] = data[t + 32];
}

// A volatile pointer, and the running sum kept in a variable by hand: what a lane wrote itself it
// need not read again, what others read must be written.
extern "C" __global__ void scan_accumulator(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    volatile int *data = cells;
    int sum = in[t];
    data[t] = 0;
    data[t + 32] = sum;
    sum += data[t + 31];
    data[t + 32] = sum;
    sum += data[t + 30];
    data[t + 32] = sum;
    sum += data[t + 28];
    data[t + 32] = sum;
    sum += data[t + 24];
    data[t + 32] = sum;
    sum += data[t + 16];
    out[t] = sum;
}
