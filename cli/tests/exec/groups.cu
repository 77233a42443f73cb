// Two kernels that lack a barrier behind the stores to one object: three pairs of lines race in the
// first, and two in the second. With FIXED they have it.
#include <cstdio>

extern __shared__ int cell[];

#ifdef FIXED
#define BARRIER __syncthreads()
#else
#define BARRIER
#endif

__global__ void three(const int *in, int *out)
{
    int t = threadIdx.x;
    cell[t] = in[t]; // (three stores)
    BARRIER;
    int a = cell[t ^ 32]; // (three reads a)
    int b = cell[t ^ 33]; // (three reads b)
    int c = cell[t ^ 34]; // (three reads c)
    out[t] = a + 2 * b + 4 * c;
}

__global__ void two(const int *in, int *out)
{
    int t = threadIdx.x;
    cell[t] = in[t];
    BARRIER;
    int a = cell[t ^ 32]; // (two reads a)
    int b = cell[t ^ 33]; // (two reads b)
    out[t] = a + 2 * b;
}

int main()
{
    int *in, *out;
    if (cudaMalloc(&in, 64 * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMalloc(&out, 64 * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMemset(in, 1, 64 * sizeof(int)) != cudaSuccess) return 1;
    three<<<1, 64, 64 * sizeof(int)>>>(in, out);
    three<<<1, 64, 64 * sizeof(int)>>>(in, out);
    two<<<1, 64, 64 * sizeof(int)>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    if (cudaFree(in) != cudaSuccess) return 1;
    return cudaFree(out) == cudaSuccess ? 0 : 1;
}
