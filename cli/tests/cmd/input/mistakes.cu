// One mistake a kernel.

extern "C" __global__ void pass_by(int *out)
{
    int t = threadIdx.x;
    if (t < 32)
        __syncthreads();
    out[t] = t;
}

extern "C" __global__ void two_barriers(int *out)
{
    int t = threadIdx.x;
    if (t % 2 == 0)
        __syncthreads();
    else
        __syncthreads();
    out[t] = t;
}

extern "C" __global__ void half_warp(int *out)
{
    int t = threadIdx.x;
    if (t < 16)
        __syncwarp();
    out[t] = t;
}

extern "C" __global__ void absent_lane(int *out)
{
    int t = threadIdx.x;
    if (t < 16)
        out[t] = __shfl_sync(0x0000ffff, t, t + 16);
}

extern "C" __global__ void never_written(int *out)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    out[t] = cells[t] + 1;
}

extern "C" __global__ void past_the_end(int *out)
{
    int t = threadIdx.x;
    out[t + 1] = t;
}

extern "C" __global__ void count(int *out)
{
    out[0] += 1;
}

extern "C" __global__ void wait_for_nobody(volatile int *out)
{
    while (out[0] == 0) {
    }
}
