// Adds a times x to y, cell by cell: y = a * x + y.
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) {
        return;
    }
    y[i] = a * x[i] + y[i];
}
