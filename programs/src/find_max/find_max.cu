// The largest of n unsigned numbers, by one block. Each thread scans a range of its own, n / B numbers that lie
// side by side, and then tells the others what it found through one word, which is 0 at first.

// The largest number of this thread's range; 0 where the range is empty.
__device__ __forceinline__ unsigned largest(const unsigned *numbers, unsigned long long n)
{
    unsigned long long first = threadIdx.x * n / blockDim.x;
    unsigned long long end = (threadIdx.x + 1) * n / blockDim.x;
    unsigned most = 0;
    for (unsigned long long i = first; i < end; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

// Right: an atomic compares and replaces in one.
extern "C" __global__ void find_max(const unsigned *numbers, unsigned long long n, unsigned *max)
{
    unsigned most = largest(numbers, n);
    atomicMax(max, most);
}

// Wrong: between the look and the write another thread may have written something larger, which is lost.
extern "C" __global__ void find_max_racy(const unsigned *numbers, unsigned long long n, unsigned *max)
{
    unsigned most = largest(numbers, n);
    if (most > *max)
        *max = most;
}
