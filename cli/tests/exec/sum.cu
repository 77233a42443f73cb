#include <cstdio>
#include <vector>
#include <cmath>
__constant__ float factor;
template <int N> __global__ void sum(const float *in, float *out, int n)
{
    __shared__ float cell[N];
    int t = threadIdx.x;
    float s = 0;
    for (int i = blockIdx.x * N + t; i < n; i += N * gridDim.x) s += in[i] * factor;
    cell[t] = s;
    __syncthreads();
    for (int step = N / 2; step >= 32; step /= 2) { if (t < step) cell[t] += cell[t + step]; __syncthreads(); }
    if (t < 32) {
        float v = cell[t];
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        if (t == 0) atomicAdd(out, v);
    }
    if (t == 0 && blockIdx.x == 0) printf("block 0 of %u\n", gridDim.x);
}
int main()
{
    const int n = 10000;
    std::vector<float> in(n, 1.0f);
    float *on, *out, result, two = 2;
    if (cudaMalloc(&on, n * sizeof(float)) != cudaSuccess) return 1;
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(on, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(float));
    cudaMemcpyToSymbol(factor, &two, sizeof two);
    sum<128><<<4, 128>>>(on, out, n);
    if (cudaDeviceSynchronize() != cudaSuccess) { puts(cudaGetErrorString(cudaGetLastError())); return 1; }
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%g\n", result);
    return result == 2.0f * n ? 0 : 1;
}
