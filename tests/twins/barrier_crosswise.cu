// what: some warps come to one barrier more than the others, so that barriers meet crosswise and order other accesses than the source says. The barrier is the cause; a race would be told with advice that is wrong
// launch: --block 32,8
// arg: f32[256]=iota
// arg: f32[256]
// arg: 2
// expect bad: barrier-divergence
// expect good: clean

extern "C" __global__ void bad(const float *in, float *out, int np)
{
    __shared__ float kq[8][32];
    int w = threadIdx.y, l = threadIdx.x;
    kq[w][l] = in[w * 32 + l];
    __syncthreads();
    float m = 0;
    if (w % np == 0) {
        for (int i = 0; i < np; ++i)
            m = fmaxf(m, kq[w + i][l]);
        __syncthreads();
        kq[w][l] = m;
    }
    __syncthreads();
    out[w * 32 + l] = kq[w - w % np][l];
}

extern "C" __global__ void good(const float *in, float *out, int np)
{
    __shared__ float kq[8][32];
    int w = threadIdx.y, l = threadIdx.x;
    kq[w][l] = in[w * 32 + l];
    __syncthreads();
    float m = 0;
    if (w % np == 0) {
        for (int i = 0; i < np; ++i)
            m = fmaxf(m, kq[w + i][l]);
    }
    __syncthreads();
    if (w % np == 0)
        kq[w][l] = m;
    __syncthreads();
    out[w * 32 + l] = kq[w - w % np][l];
}
