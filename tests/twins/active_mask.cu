// what: the mask of the lanes that were together before a branch is not the mask of those in it; one taken inside and used at once is right
// launch: --block 32
// arg: s32[32]=iota:1
// arg: s32[32]
// expect bad_before_branch: shuffle-inactive-lane | sync-mask | deadlock
// expect bad_syncwarp: race
// expect good_inside: clean
// expect good_ballot: clean

extern "C" __global__ void bad_before_branch(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t];
    unsigned mask = __ballot_sync(0xffffffff, value > 0);
    if (value % 3 == 0)
        value = __shfl_sync(mask, value, 0);
    __syncthreads();
    out[t] = value;
}

// Who is together is nobody's promise: a lane may wait for itself only.
extern "C" __global__ void bad_syncwarp(const int *in, int *out)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncwarp(__activemask());
    out[t] = cells[t ^ 1];
}

// Whoever is together here: some of the lanes or all, each with the same mask.
extern "C" __global__ void good_inside(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t];
    if (value % 3 == 0) {
        unsigned mask = __activemask();
        value = __shfl_sync(mask, value, __ffs(mask) - 1);
    }
    __syncthreads();
    out[t] = value;
}

// The lanes that will take the branch, counted before it.
extern "C" __global__ void good_ballot(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t];
    unsigned mask = __ballot_sync(0xffffffff, value % 3 == 0);
    if (value % 3 == 0)
        value = __shfl_sync(mask, value, __ffs(mask) - 1);
    __syncthreads();
    out[t] = value;
}
