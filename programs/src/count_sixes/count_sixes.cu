// How many numbers of an array are 6: one block, whose threads take turns along the array. Thread t looks
// at the elements t, t + B, t + 2B, ..., where B is the number of threads.
//
// Every kernel takes room for one number a thread and for the sum, which is 0 at first.

// Wrong: two threads that read the sum, add 1 and write it back may both have read the same number, and
// then one of the sixes is lost.
extern "C" __global__ void count_racy(const int *in, int n, int *out, int *sum)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] == 6)
            *sum += 1;
}

// Right: each thread has a place of its own. The host adds them up.
extern "C" __global__ void count_each(const int *in, int n, int *out, int *sum)
{
    int count = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] == 6)
            count += 1;
    out[threadIdx.x] = count;
}

// Right: the same, then a barrier, after which thread 0 sees what all the others wrote.
extern "C" __global__ void count_barrier(const int *in, int n, int *out, int *sum)
{
    int count = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] == 6)
            count += 1;
    out[threadIdx.x] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int t = 0; t < blockDim.x; t++)
            all += out[t];
        *sum = all;
    }
}

// Right: an atomic reads, adds and writes in one, and nobody comes between.
extern "C" __global__ void count_atomic(const int *in, int n, int *out, int *sum)
{
    int count = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] == 6)
            count += 1;
    out[threadIdx.x] = count;
    atomicAdd(sum, count);
}
