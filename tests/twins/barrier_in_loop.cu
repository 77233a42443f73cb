// what: a loop with a barrier in it has to go round equally often for all threads; `bad` goes from thread to `n`, and 100 is no multiple of 64
// launch: --block 64
// arg: s32[100]=iota
// arg: s32[64]
// arg: 100
// expect bad: barrier-divergence
// expect bad_break: barrier-divergence
// expect good: clean
// expect good_vote: clean

extern "C" __global__ void bad(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x, sum = 0;
    for (int i = t; i < n; i += 64) {
        cells[t] = in[i];
        __syncthreads();
        sum += cells[t ^ 1];
        __syncthreads();
    }
    out[t] = sum;
}

// Each thread leaves when its own number is small enough.
extern "C" __global__ void bad_break(const int *in, int *out, int n)
{
    int t = threadIdx.x, value = in[t], rounds = 0;
    while (value > 0) {
        value /= 2;
        rounds++;
        __syncthreads();
    }
    out[t] = rounds;
}

extern "C" __global__ void good(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x, sum = 0;
    for (int first = 0; first < n; first += 64) {
        cells[t] = first + t < n ? in[first + t] : 0;
        __syncthreads();
        sum += cells[t ^ 1];
        __syncthreads();
    }
    out[t] = sum;
}

// All leave when the numbers of all are small enough.
extern "C" __global__ void good_vote(const int *in, int *out, int n)
{
    int t = threadIdx.x, value = in[t], rounds = 0;
    while (__syncthreads_or(value > 0)) {
        value /= 2;
        rounds++;
    }
    out[t] = rounds;
}
