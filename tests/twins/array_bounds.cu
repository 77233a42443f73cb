// what: an index leaves its array for the one beside it, in shared and in global memory, and rows that are wider than their distance
// launch: --grid 2 --block 32
// arg: s32[64]
// arg: 1
// arg: 32
// expect bad_shared: out-of-bounds
// expect bad_global: out-of-bounds
// expect bad_rows: race
// expect good_shared: clean
// expect good_global: clean
// expect good_rows: clean

__device__ int first[32], second[32];

// The last thread stores behind `a`.
extern "C" __global__ void bad_shared(int *out, int k, int width)
{
    __shared__ int a[32], b[32];
    b[threadIdx.x] = 7;
    a[threadIdx.x] = 0;
    __syncthreads();
    a[threadIdx.x + k] = 1;
    __syncthreads();
    out[blockIdx.x * width + threadIdx.x] = b[threadIdx.x] * 10 + a[threadIdx.x];
}

extern "C" __global__ void good_shared(int *out, int k, int width)
{
    __shared__ int a[32], b[32];
    b[threadIdx.x] = 7;
    a[threadIdx.x] = 0;
    __syncthreads();
    a[(threadIdx.x + k) % 32] = 1;
    __syncthreads();
    out[blockIdx.x * width + threadIdx.x] = b[threadIdx.x] * 10 + a[threadIdx.x];
}

extern "C" __global__ void bad_global(int *out, int k, int width)
{
    if (blockIdx.x == 0)
        first[threadIdx.x + k] = threadIdx.x;
    out[blockIdx.x * width + threadIdx.x] = second[threadIdx.x];
}

extern "C" __global__ void good_global(int *out, int k, int width)
{
    if (blockIdx.x == 0)
        first[(threadIdx.x + k) % 32] = threadIdx.x;
    out[blockIdx.x * width + threadIdx.x] = second[threadIdx.x];
}

// Rows of 32 cells stand 31 cells apart.
extern "C" __global__ void bad_rows(int *out, int k, int width)
{
    out[blockIdx.x * (width - k) + threadIdx.x] = blockIdx.x;
}

extern "C" __global__ void good_rows(int *out, int k, int width)
{
    out[blockIdx.x * width + threadIdx.x] = blockIdx.x + k;
}
