// How many bits are set in each word, and in all words together.
extern "C" __global__ void popcount(const unsigned *words, int *bits, int *all, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        int count = __popc(words[i]);
        bits[i] = count;
        atomicAdd(all, count);
    }
}
