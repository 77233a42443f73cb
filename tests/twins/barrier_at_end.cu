// what: a barrier inside the last `if` of a kernel: the other threads fall through to its end. In the compiled form that is what an early `return` looks like, which is fine; only the lines tell
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: 50
// expect bad_bare: barrier-divergence
// expect bad_same_line: barrier-divergence
// expect bad_braces: barrier-divergence
// expect bad_one_warp: barrier-divergence
// expect bad_after_return: barrier-divergence
// expect good_return: clean
// expect good_return_last: clean
// expect good_return_loop: clean
// expect good_return_unrolled: clean
// expect good_return_same_line: clean
// expect good_return_inside: clean
// expect good_uniform: clean
// expect good_uniform_after_return: clean

extern "C" __global__ void bad_bare(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    out[t] = in[t];
    if (t % 2 == 0)
        __syncthreads();
}

extern "C" __global__ void bad_same_line(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    out[t] = in[t];
    if (t % 2 == 0) __syncthreads();
}

extern "C" __global__ void bad_braces(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[62 - t];
    }
}

extern "C" __global__ void bad_one_warp(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t < 32) {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[31 - t];
    }
}

// Those who have returned before do not count; the others still part at the second condition.
extern "C" __global__ void bad_after_return(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    out[t] = in[t];
    if (t % 2 == 0) {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[48 - t];
    }
}

extern "C" __global__ void good_return(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    cells[t] = in[t];
    __syncthreads();
    out[t] = cells[n - 1 - t];
}

extern "C" __global__ void good_return_last(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    out[t] = in[t];
    if (t >= n)
        return;
    __syncthreads();
}

extern "C" __global__ void good_return_loop(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    for (int i = 0; i < n; i++) {
        cells[t] = in[t] + i;
        __syncthreads();
        out[t] = cells[n - 1 - t];
        __syncthreads();
    }
}

extern "C" __global__ void good_return_unrolled(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        cells[t] = in[t] + i;
        __syncthreads();
        out[t] = cells[n - 1 - t];
        __syncthreads();
    }
}

extern "C" __global__ void good_return_same_line(const int *in, int *out, int n)
{
    __shared__ int cells[64]; int t = threadIdx.x;
    if (t >= n) return; cells[t] = in[t]; __syncthreads(); out[t] = cells[n - 1 - t];
}

extern "C" __global__ void good_return_inside(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (n > 3) {
        if (t >= n)
            return;
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[n - 1 - t];
    }
}

extern "C" __global__ void good_uniform(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (n > 3) {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[63 - t];
    }
}

// Whoever is left decides alike.
extern "C" __global__ void good_uniform_after_return(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    if (n > 3) {
        cells[t] = in[t];
        __syncthreads();
        out[t] = cells[n - 1 - t];
    }
}
