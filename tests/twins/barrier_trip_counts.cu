// what: loops with a barrier whose bounds depend on the thread: clean when all go round equally often or leave the kernel for good, a fault when some go on to other work
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// expect bad_inner: barrier-divergence | barrier-divergence + deadlock
// expect bad_last_round: barrier-divergence | barrier-divergence + race
// expect bad_leaves_loop: barrier-divergence
// expect good_equal: clean
// expect good_inner: clean
// expect good_leaves_kernel: clean
// expect good_warp_leaves: clean

extern "C" __global__ void bad_inner(const int *in, int *out)
{
    int t = threadIdx.x, value = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= in[t] % 2; j++) {
            value += i * j + 1;
            __syncthreads();
        }
    }
    out[t] = value;
}

extern "C" __global__ void good_inner(const int *in, int *out)
{
    int t = threadIdx.x, value = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) {
            if (j <= in[t] % 2)
                value += i * j + 1;
            __syncthreads();
        }
    }
    out[t] = value;
}

// Half of the threads stop before the last barrier of a tree. (Compilers let all of them read sums[0] in the end.)
extern "C" __global__ void bad_last_round(const int *in, int *out)
{
    __shared__ int sums[64];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int s = 32; s > 0 && t < 2 * s; s /= 2) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    out[t] = t == 0 ? sums[0] : 0;
}

extern "C" __global__ void bad_leaves_loop(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t];
    for (int round = 0; round < 8; round++) {
        if (t == round * 9)
            break;
        value += round;
        __syncthreads();
    }
    out[t] = value;
}

// Four rounds for each, though from different numbers to different numbers.
extern "C" __global__ void good_equal(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = 0;
    for (int i = in[t]; i < t + 64; i += 16) {
        cells[t] = i;
        __syncthreads();
        value += cells[63 - t];
        __syncthreads();
    }
    out[t] = value;
}

extern "C" __global__ void good_leaves_kernel(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t];
    for (int round = 0; round < 8; round++) {
        if (t == round * 9) {
            out[t] = -1;
            return;
        }
        value += round;
        __syncthreads();
    }
    out[t] = value;
}

// Warp 1 has something else to do, and never comes back.
extern "C" __global__ void good_warp_leaves(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    if (t >= 32) {
        atomicAdd(&out[t], cells[t ^ 1]);
        return;
    }
    cells[t] = in[t] + 1;
    __syncthreads();
    out[t] = cells[31 - t];
}
