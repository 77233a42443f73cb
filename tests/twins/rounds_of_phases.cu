// what: threads exchange cells in rounds, and wait by asking an mbarrier object for each round's phase: two rows of cells, by turns, and one wait a round are enough
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// expect bad_no_wait: race
// expect bad_one_row: race
// expect good: clean
// expect good_asking_first: clean

static __device__ __forceinline__ unsigned address(void *object)
{
    return (unsigned)__cvta_generic_to_shared(object);
}

static __device__ __forceinline__ void init(unsigned long long *object)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(address(object)) : "memory");
    __syncthreads();
}

static __device__ __forceinline__ void arrive(unsigned long long *object)
{
    asm volatile("{ .reg .b64 %%state; mbarrier.arrive.shared.b64 %%state, [%0]; }" :: "r"(address(object)) : "memory");
}

static __device__ __forceinline__ bool has_ended(unsigned long long *object, int phase)
{
    int ended;
    asm volatile("{ .reg .pred %%p; mbarrier.test_wait.parity.shared.b64 %%p, [%1], %2; selp.b32 %0, 1, 0, %%p; }"
                 : "=r"(ended) : "r"(address(object)), "r"(phase & 1) : "memory");
    return ended;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ unsigned long long object;
    __shared__ int cells[2][64];
    int t = threadIdx.x, sum = in[t];
    init(&object);
    for (int round = 0; round < 6; round++) {
        cells[round % 2][t] = sum;
        arrive(&object);
        while (!has_ended(&object, round)) {
        }
        sum += cells[round % 2][(t + 33) % 64];
    }
    out[t] = sum;
}

// A thread that is told no does something of its own before it asks again.
extern "C" __global__ void good_asking_first(const int *in, int *out)
{
    __shared__ unsigned long long object;
    __shared__ int cells[2][64];
    int t = threadIdx.x, sum = in[t];
    init(&object);
    for (int round = 0; round < 6; round++) {
        cells[round % 2][t] = sum;
        arrive(&object);
        for (unsigned asked = 0; !has_ended(&object, round); asked++)
            if (asked > 16)
                __nanosleep(asked);
        sum += cells[round % 2][(t + 33) % 64];
    }
    out[t] = sum;
}

// Nobody waits for the cell to be written.
extern "C" __global__ void bad_no_wait(const int *in, int *out)
{
    __shared__ unsigned long long object;
    __shared__ int cells[2][64];
    int t = threadIdx.x, sum = in[t];
    init(&object);
    for (int round = 0; round < 6; round++) {
        cells[round % 2][t] = sum;
        arrive(&object);
        sum += cells[round % 2][(t + 33) % 64];
        while (!has_ended(&object, round)) {
        }
    }
    out[t] = sum;
}

// The next round's cell takes the place of one that may not have been read.
extern "C" __global__ void bad_one_row(const int *in, int *out)
{
    __shared__ unsigned long long object;
    __shared__ int cells[64];
    int t = threadIdx.x, sum = in[t];
    init(&object);
    for (int round = 0; round < 6; round++) {
        cells[t] = sum;
        arrive(&object);
        while (!has_ended(&object, round)) {
        }
        sum += cells[(t + 33) % 64];
    }
    out[t] = sum;
}
