// what: two arrays carved out of dynamic shared memory: in `bad` the second begins after `n` bytes instead of after `n` ints
// launch: --block 64 --shared 512
// arg: s32[64]=iota:1
// arg: f32[64]
// arg: 64
// expect bad: race
// expect good: clean

extern "C" __global__ void bad(const int *in, float *out, int n)
{
    extern __shared__ __align__(8) char room[];
    int *counts = (int *)room;
    float *means = (float *)(room + n);
    int t = threadIdx.x;
    counts[t] = in[t];
    means[t] = 1.0f / in[t];
    __syncthreads();
    out[t] = counts[n - 1 - t] * means[n - 1 - t];
}

extern "C" __global__ void good(const int *in, float *out, int n)
{
    extern __shared__ __align__(8) char room[];
    int *counts = (int *)room;
    float *means = (float *)(room + n * sizeof(int));
    int t = threadIdx.x;
    counts[t] = in[t];
    means[t] = 1.0f / in[t];
    __syncthreads();
    out[t] = counts[n - 1 - t] * means[n - 1 - t];
}
