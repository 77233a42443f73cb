// How many Collatz steps lead from each number to 1: threads of a warp end at different times.
extern "C" __global__ void collatz(const unsigned *numbers, int *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        unsigned number = numbers[i];
        int count = 0;
        while (number != 1) {
            number = number % 2 == 0 ? number / 2 : 3 * number + 1;
            ++count;
        }
        steps[i] = count;
    }
}
