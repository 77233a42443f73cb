// what: warp 0 produces and arrives, warp 1 waits and consumes, at named barriers with a count; the bad ones count wrongly, wait for nobody, or forget that the buffer is used again
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: 64
// launch bad_count: --arg 96
// launch bad_no_multiple: --arg 48
// launch bad_no_wait: --arg 64
// launch bad_reuse: --arg 64
// launch bad_nobody: --arg 64
// launch bad_crossed: --arg 64
// launch good: --arg 64
// launch good_reuse: --arg 64
// launch good_same_order: --arg 64
// expect bad_count: deadlock
// expect bad_no_multiple: barrier-divergence | barrier-divergence + deadlock | barrier-divergence + race
// expect bad_no_wait: race
// expect bad_reuse: race
// expect bad_nobody: deadlock
// expect bad_crossed: deadlock
// expect good: clean
// expect good_reuse: clean
// expect good_same_order: clean

#define WAIT(barrier, count) asm volatile("bar.sync %0, %1;" ::"n"(barrier), "r"(count) : "memory")
#define ARRIVE(barrier, count) asm volatile("bar.arrive %0, %1;" ::"n"(barrier), "r"(count) : "memory")

__device__ __forceinline__ void hand_over(const int *in, int *out, int count)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    if (t < 32) {
        cells[t] = in[t];
        ARRIVE(1, count);
    } else {
        WAIT(1, count);
        out[t] = cells[63 - t];
    }
}

// 96 threads are never there.
extern "C" __global__ void bad_count(const int *in, int *out, int rounds, int count)
{
    hand_over(in, out, count);
}

extern "C" __global__ void bad_no_multiple(const int *in, int *out, int rounds, int count)
{
    hand_over(in, out, count);
}

extern "C" __global__ void good(const int *in, int *out, int rounds, int count)
{
    hand_over(in, out, count);
}

extern "C" __global__ void bad_no_wait(const int *in, int *out, int rounds, int count)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    if (t < 32) {
        cells[t] = in[t];
        ARRIVE(1, count);
    } else {
        ARRIVE(1, count);
        out[t] = cells[63 - t];
    }
}

// The producer fills the buffer again without waiting for the consumer.
extern "C" __global__ void bad_reuse(const int *in, int *out, int rounds, int count)
{
    __shared__ int cells[32];
    int t = threadIdx.x, sum = 0;
    for (int first = 0; first < rounds; first += 32) {
        if (t < 32) {
            cells[t] = in[first + t];
            WAIT(1, count);
        } else {
            WAIT(1, count);
            sum += cells[63 - t];
        }
    }
    out[t] = sum;
}

// Barrier 1: the buffer is full; barrier 2: it is empty again.
extern "C" __global__ void good_reuse(const int *in, int *out, int rounds, int count)
{
    __shared__ int cells[32];
    int t = threadIdx.x, sum = 0;
    for (int first = 0; first < rounds; first += 32) {
        if (t < 32) {
            cells[t] = in[first + t];
            ARRIVE(1, count);
            WAIT(2, count);
        } else {
            WAIT(1, count);
            sum += cells[63 - t];
            ARRIVE(2, count);
        }
    }
    out[t] = sum;
}

// Warp 1 never comes to barrier 1.
extern "C" __global__ void bad_nobody(const int *in, int *out, int rounds, int count)
{
    int t = threadIdx.x;
    if (t < 32)
        WAIT(1, count);
    out[t] = in[t];
}

extern "C" __global__ void bad_crossed(const int *in, int *out, int rounds, int count)
{
    int t = threadIdx.x;
    if (t < 32) {
        WAIT(1, count);
        WAIT(2, count);
    } else {
        WAIT(2, count);
        WAIT(1, count);
    }
    out[t] = in[t];
}

extern "C" __global__ void good_same_order(const int *in, int *out, int rounds, int count)
{
    int t = threadIdx.x;
    if (t < 32) {
        WAIT(1, count);
        WAIT(2, count);
    } else {
        WAIT(1, count);
        WAIT(2, count);
    }
    out[t] = in[t];
}
