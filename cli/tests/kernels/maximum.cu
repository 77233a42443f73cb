// The greatest of n numbers and of what is in the result before.
extern "C" __global__ void maximum(const int *in, int *greatest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) {
        return;
    }
    atomicMax(greatest, in[i]);
}
