// Prefix sums of any length in dynamic shared memory: blocks, then the sums of the blocks, then both added. With RACY a step
// of the scan reads what the step writes.
#include <cstdio>
#include <vector>

__global__ void scan(const int *in, int *out, int *sums, int n)
{
    extern __shared__ int cell[];
    int *from = cell, *to = cell + blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    from[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int by = 1; by < blockDim.x; by *= 2) {
#ifdef RACY
        if (t >= by)
            from[t] += from[t - by]; // RACE
#else
        to[t] = t >= by ? from[t] + from[t - by] : from[t];
        int *swapped = from;
        from = to;
        to = swapped;
#endif
        __syncthreads();
    }
    if (i < n)
        out[i] = from[t];
    if (t == blockDim.x - 1)
        sums[blockIdx.x] = from[t];
}

__global__ void add(int *out, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

int main()
{
    const int n = 3000, threads = 128, blocks = (n + threads - 1) / threads;
    std::vector<int> values(n), wanted(n), found(n);
    for (int i = 0, sum = 0; i < n; ++i)
        wanted[i] = sum += values[i] = i * i % 17 - 8;
    int *in, *out, *sums;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&sums, (2 * blocks + 1) * sizeof(int));
    cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    size_t shared = 2 * threads * sizeof(int);
    cudaFuncSetAttribute(scan, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    scan<<<blocks, threads, shared>>>(in, out, sums, n);
    scan<<<1, threads, shared>>>(sums, sums + blocks, sums + 2 * blocks, blocks);
    add<<<blocks, threads>>>(out, sums + blocks, n);
    cudaMemcpy(found.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sums);
    std::printf("%d prefix sums are %s\n", n, found == wanted ? "right" : "wrong");
    return found == wanted ? 0 : 1;
}
