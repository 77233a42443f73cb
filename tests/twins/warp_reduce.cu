// what: the last six steps of a reduction inside one warp: plain accesses race, volatile ones are ordered by nothing either; a barrier of the warp between reading and writing does it
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[1]
// expect bad_plain: race
// expect bad_volatile: unordered
// expect bad_one_sync: race
// expect good_two_syncs: clean
// expect good_guarded: clean
// expect good_registers: clean

extern "C" __global__ void bad_plain(const int *in, int *out)
{
    __shared__ int sums[64];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        sums[t] += sums[t + 32];
        sums[t] += sums[t + 16];
        sums[t] += sums[t + 8];
        sums[t] += sums[t + 4];
        sums[t] += sums[t + 2];
        sums[t] += sums[t + 1];
    }
    if (t == 0)
        out[0] = sums[0];
}

extern "C" __global__ void bad_volatile(const int *in, int *out)
{
    __shared__ int sums[64];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile int *v = sums;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0)
        out[0] = sums[0];
}

// All lanes add in every step: lane 16 may have written before lane 0 has read.
extern "C" __global__ void bad_one_sync(const int *in, int *out)
{
    __shared__ int sums[64];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            sums[t] += sums[t + d];
            __syncwarp();
        }
    }
    if (t == 0)
        out[0] = sums[0];
}

extern "C" __global__ void good_two_syncs(const int *in, int *out)
{
    __shared__ int sums[64];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            int other = sums[t + d];
            __syncwarp();
            sums[t] += other;
            __syncwarp();
        }
    }
    if (t == 0)
        out[0] = sums[0];
}

// Only the lanes whose sums matter add: nobody reads what is written in the same step.
extern "C" __global__ void good_guarded(const int *in, int *out)
{
    __shared__ int sums[64];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            if (t < d)
                sums[t] += sums[t + d];
            __syncwarp();
        }
    }
    if (t == 0)
        out[0] = sums[0];
}

extern "C" __global__ void good_registers(const int *in, int *out)
{
    __shared__ int sums[2];
    int t = threadIdx.x, sum = in[t];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t == 0)
        out[0] = sums[0] + sums[1];
}
