// what: __syncwarp() with half of the warp in its mask orders only that half: `bad_across` reads from the other half, `good_within` from its own
// launch: --block 32
// arg: s32[32]=iota
// arg: s32[32]
// expect bad_across: race
// expect bad_lower_only: race
// expect bad_caller_absent: sync-mask
// expect good_within: clean
// expect good_all: clean

extern "C" __global__ void bad_across(const int *in, int *out)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    if (t < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    out[t] = cells[t ^ 16];
}

// The lower half waits for itself and then reads what the upper half writes.
extern "C" __global__ void bad_lower_only(const int *in, int *out)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    if (t < 16) {
        __syncwarp(0x0000ffff);
        out[t] = cells[31 - t];
    }
}

// All lanes call it, half of them are not named.
extern "C" __global__ void bad_caller_absent(const int *in, int *out)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncwarp(0x0000ffff);
    out[t] = t < 16 ? cells[15 - t] : 0;
}

extern "C" __global__ void good_within(const int *in, int *out)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    if (t < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    out[t] = cells[t ^ 8];
}

extern "C" __global__ void good_all(const int *in, int *out)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncwarp();
    out[t] = cells[t ^ 16];
}
