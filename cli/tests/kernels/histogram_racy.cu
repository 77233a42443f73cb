// Counts how often each of 8 remainders occurs. Wrong: the counts are not added to by atomics.
extern "C" __global__ void histogram_racy(const unsigned *in, unsigned *counts, int n)
{
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = first; i < n; i += threads) {
        counts[in[i] % 8] += 1;
    }
}
