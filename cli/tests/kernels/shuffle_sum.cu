// The sum of the numbers of each warp, which its lanes pass on by shuffles.
extern "C" __global__ void shuffle_sum(const int *numbers, int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = numbers[i];

    for (int by = 16; by > 0; by /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, by);
    }
    if (threadIdx.x % 32 == 0) {
        sums[i / 32] = sum;
    }
}
