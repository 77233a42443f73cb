// what: `__ldg()` reads through the path that need not see writes of this launch; `bad` reads what its block wrote before the barrier, `bad_own` what the thread itself wrote. Without `__ldg()` the barrier suffices; `good_only_read` reads an array that nobody writes
//   doubtful: in `bad_own` no second thread is involved; PTX calls it undefined to read through .nc what the kernel writes
// launch: --grid 1 --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: s32[64]
// expect bad: race
// expect bad_own: race
// expect good: clean
// expect good_only_read: clean

extern "C" __global__ void bad(const int *in, int *mid, int *out)
{
    unsigned t = threadIdx.x;
    mid[t] = in[t] * 2;
    __syncthreads();
    out[t] = __ldg(&mid[t ^ 1]);
}

extern "C" __global__ void bad_own(const int *in, int *mid, int *out)
{
    unsigned t = threadIdx.x;
    mid[t] = in[t] * 2;
    out[t] = __ldg(&mid[t]);
}

extern "C" __global__ void good(const int *in, int *mid, int *out)
{
    unsigned t = threadIdx.x;
    mid[t] = in[t] * 2;
    __syncthreads();
    out[t] = mid[t ^ 1];
}

extern "C" __global__ void good_only_read(const int *in, int *mid, int *out)
{
    unsigned t = threadIdx.x;
    mid[t] = __ldg(&in[t]) * 2;
    __syncthreads();
    out[t] = mid[t ^ 1] + __ldg(&in[t ^ 1]);
}
