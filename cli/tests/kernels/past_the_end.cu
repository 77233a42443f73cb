// Copies an array and doubles its cells. Wrong: no thread looks whether its cell is there.
extern "C" __global__ void past_the_end(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int number = 0;

    if (i < n) {
        number = 2 * in[i];
    }
    out[i] = number;
}
