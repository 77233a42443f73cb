// The sum of any number of ints in one launch: each block sums its share, and the block that is done last sums the blocks' sums.
//
// Which one is last is found with tickets: each block stores its partial sum, then takes a ticket. The one that draws the last ticket
// knows that all the others have stored theirs. The kernels differ in what they leave out of that.

enum { THREADS = 256 };

__device__ unsigned count;             // tickets that were drawn; 0 again when a launch is over

// The sum of the numbers that the threads of the block hold, for thread 0.
__device__ __forceinline__ int sum_of_block(int number)
{
    __shared__ int cells[THREADS];
    int t = threadIdx.x;
    cells[t] = number;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            cells[t] += cells[t + half];
        __syncthreads();
    }
    return cells[0];
}

template <bool FENCE_BEFORE, bool FENCE_AFTER, bool ATOMIC, bool BARRIER>
__device__ __forceinline__ void sum_all(const int *in, int n, int *partials, int *out)
{
    __shared__ bool is_last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = sum_of_block(i < n ? in[i] : 0);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        if (FENCE_BEFORE)
            __threadfence();           // who sees the ticket sees the partial sum
        unsigned ticket = ATOMIC ? atomicInc(&count, gridDim.x) : count++;
        if (FENCE_AFTER)
            __threadfence();           // what follows sees what others did before their tickets
        is_last = ticket == gridDim.x - 1;
    }
    if (BARRIER)
        __syncthreads();               // all threads know whether theirs is the last block
    if (is_last) {
        int mine = 0;
        for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            mine += partials[b];
        sum = sum_of_block(mine);
        if (threadIdx.x == 0) {
            *out = sum;
            count = 0;                 // for the next launch
        }
    }
}

// Right.
extern "C" __global__ void last_block(const int *in, int n, int *partials, int *out)
{
    sum_all<true, true, true, true>(in, n, partials, out);
}

// Wrong: the ticket may be seen before the partial sum is.
extern "C" __global__ void without_first_fence(const int *in, int n, int *partials, int *out)
{
    sum_all<false, true, true, true>(in, n, partials, out);
}

// Wrong: the partial sums may have been read before the ticket was drawn.
extern "C" __global__ void without_second_fence(const int *in, int n, int *partials, int *out)
{
    sum_all<true, false, true, true>(in, n, partials, out);
}

// Wrong: two blocks may draw the same ticket, and then nobody is last.
extern "C" __global__ void plain_ticket(const int *in, int n, int *partials, int *out)
{
    sum_all<true, true, false, true>(in, n, partials, out);
}

// Wrong: threads look whether theirs is the last block before thread 0 has said so.
extern "C" __global__ void without_barrier(const int *in, int n, int *partials, int *out)
{
    sum_all<true, true, true, false>(in, n, partials, out);
}
