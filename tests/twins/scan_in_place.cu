// what: the scan of a block: in place with one barrier a step it reads cells that others write in the same step; `good_two_rows` writes to a second row
// launch: --block 64
// arg: s32[64]=iota:1
// arg: s32[64]
// expect bad: race
// expect bad_rows_mixed: race
// expect good_two_rows: clean
// expect good_two_barriers: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        if (t >= d)
            sums[t] += sums[t - d];
        __syncthreads();
    }
    out[t] = sums[t];
}

// Two rows, but the row that is read is never changed for the other.
extern "C" __global__ void bad_rows_mixed(const int *in, int *out)
{
    __shared__ int rows[2][64];
    unsigned t = threadIdx.x;
    int from = 0;
    rows[0][t] = rows[1][t] = in[t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        int to = from;
        rows[to][t] = rows[from][t] + (t >= d ? rows[from][t - d] : 0);
        __syncthreads();
    }
    out[t] = rows[from][t];
}

extern "C" __global__ void good_two_rows(const int *in, int *out)
{
    __shared__ int rows[2][64];
    unsigned t = threadIdx.x;
    int from = 0;
    rows[0][t] = in[t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        int to = 1 - from;
        rows[to][t] = rows[from][t] + (t >= d ? rows[from][t - d] : 0);
        from = to;
        __syncthreads();
    }
    out[t] = rows[from][t];
}

extern "C" __global__ void good_two_barriers(const int *in, int *out)
{
    __shared__ int sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        int left = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    out[t] = sums[t];
}
