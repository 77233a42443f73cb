// Adds two vectors of n cells; each thread takes every so many cells as there are threads.
extern "C" __global__ void vector_add(const float *a, const float *b, float *sum, int n)
{
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = first; i < n; i += threads) {
        sum[i] = a[i] + b[i];
    }
}
