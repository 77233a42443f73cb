// Sorts as many numbers as the block has threads: a power of two, up to 64.
extern "C" __global__ void bitonic_sort(int *numbers)
{
    __shared__ int cells[64];
    int t = threadIdx.x;

    cells[t] = numbers[t];
    __syncthreads();
    for (int run = 2; run <= blockDim.x; run *= 2) {
        for (int by = run / 2; by > 0; by /= 2) {
            int other = t ^ by;
            if (other > t) {
                bool rises = (t & run) == 0;
                int low = cells[t], high = cells[other];
                if ((low > high) == rises) {
                    cells[t] = high;
                    cells[other] = low;
                }
            }
            __syncthreads();
        }
    }
    numbers[t] = cells[t];
}
