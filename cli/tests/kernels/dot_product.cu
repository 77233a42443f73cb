// Multiplies two vectors cell by cell and sums the products of each block, in blocks of up to 64.
extern "C" __global__ void dot_product(const float *a, const float *b, float *sums, int n)
{
    __shared__ float products[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    products[t] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            products[t] += products[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = products[0];
    }
}
