// Each cell becomes the sum of its left neighbour, itself twice and its right neighbour.
extern "C" __global__ void stencil(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        int left = i > 0 ? in[i - 1] : 0;
        int right = i < n - 1 ? in[i + 1] : 0;
        out[i] = left + 2 * in[i] + right;
    }
}
