// what: shared cells that no thread has written, and an element of a thread's own array, are used; padding that is only copied along is not used
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: 50
// expect bad_tail: uninitialized
// expect bad_exited: uninitialized
// expect bad_counter: uninitialized
// expect bad_local: uninitialized
// expect good_tail: clean
// expect good_exited: clean
// expect good_counter: clean
// expect good_local: clean
// expect good_padding: clean

extern "C" __global__ void bad_tail(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t < n)
        cells[t] = in[t];
    __syncthreads();
    out[t] = cells[63 - t] + 1;
}

extern "C" __global__ void good_tail(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = t < n ? in[t] : 0;
    __syncthreads();
    out[t] = cells[63 - t] + 1;
}

extern "C" __global__ void bad_exited(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    cells[t] = in[t];
    __syncthreads();
    out[t] = cells[63 - t];
}

extern "C" __global__ void good_exited(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    cells[t] = in[t];
    __syncthreads();
    out[t] = cells[n - 1 - t];
}

// Nobody sets the counter to zero.
extern "C" __global__ void bad_counter(const int *in, int *out, int n)
{
    __shared__ int count;
    int t = threadIdx.x;
    if (in[t] % 3 == 0)
        atomicAdd(&count, 1);
    __syncthreads();
    if (t == 0)
        out[0] = count;
}

extern "C" __global__ void good_counter(const int *in, int *out, int n)
{
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    if (in[t] % 3 == 0)
        atomicAdd(&count, 1);
    __syncthreads();
    if (t == 0)
        out[0] = count;
}

// Only the slots of the thread's own number are filled.
extern "C" __global__ void bad_local(const int *in, int *out, int n)
{
    int slots[8];
    int t = threadIdx.x;
    for (int k = 0; k <= in[t] % 8; k++)
        slots[k] = k + n;
    out[t] = slots[in[63 - t] % 8] + 1;
}

extern "C" __global__ void good_local(const int *in, int *out, int n)
{
    int slots[8];
    int t = threadIdx.x;
    for (int k = 0; k < 8; k++)
        slots[k] = k + n;
    out[t] = slots[in[63 - t] % 8] + 1;
}

struct Entry
{
    unsigned char kind;
    int value;
};

// The three bytes behind `kind` are never written, and are copied with the rest.
extern "C" __global__ void good_padding(const int *in, int *out, int n)
{
    __shared__ __align__(8) Entry entries[64];
    __shared__ __align__(8) Entry copies[64];
    int t = threadIdx.x;
    entries[t].kind = in[t] % 5;
    entries[t].value = in[t];
    __syncthreads();
    *(long long *)&copies[t] = *(long long *)&entries[63 - t];
    __syncthreads();
    out[t] = copies[t ^ 1].kind + copies[t ^ 1].value;
}
