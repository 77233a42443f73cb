// what: votes with a wrong mask: a caller that is not in its own mask, and live lanes in the mask that never vote
// launch: --block 32
// arg: s32[32]=rand:6:0:9
// arg: u32[32]
// expect bad_caller_absent: sync-mask
// expect bad_never_votes: sync-mask | deadlock
// expect bad_passes_by: sync-mask
// expect good: clean
// expect good_each_side: clean

extern "C" __global__ void bad_caller_absent(const int *in, unsigned *out)
{
    int t = threadIdx.x;
    out[t] = __ballot_sync(0x0000ffff, in[t] > 4);
}

// The others wait for the block, and this warp's voters for them: hardware may hang.
extern "C" __global__ void bad_never_votes(const int *in, unsigned *out)
{
    int t = threadIdx.x;
    unsigned votes = 0;
    if (t >= 8)
        votes = __ballot_sync(0xffffffff, in[t] > 4);
    __syncthreads();
    out[t] = votes;
}

extern "C" __global__ void bad_passes_by(const int *in, unsigned *out)
{
    int t = threadIdx.x;
    unsigned votes = 0;
    if (t >= 8)
        votes = __ballot_sync(0xffffffff, in[t] > 4);
    out[t] = votes + in[t];
}

extern "C" __global__ void good(const int *in, unsigned *out)
{
    int t = threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffff, t >= 8 && in[t] > 4);
    __syncthreads();
    out[t] = t >= 8 ? votes : 0;
}

extern "C" __global__ void good_each_side(const int *in, unsigned *out)
{
    int t = threadIdx.x;
    unsigned votes;
    if (t >= 8)
        votes = __ballot_sync(0xffffff00, in[t] > 4);
    else
        votes = __ballot_sync(0x000000ff, in[t] > 4);
    __syncthreads();
    out[t] = votes;
}
