// A sum by blocks of any size: threads, then a tree in shared memory, then the lanes of the last warp by shuffles. With RACY
// the tree lacks the barrier between its levels.
#include <cassert>
#include <cstdio>
#include <numeric>
#include <vector>

template <typename T> struct Plus {
    __host__ __device__ T operator()(T a, T b) const { return a + b; }
};

template <typename T, int Threads, typename Operation>
__global__ void reduce(const T *in, T *out, size_t n, Operation operation, T neutral)
{
    static_assert(Threads % 64 == 0, "whole pairs of warps");
    __shared__ T cell[Threads];
    T mine = neutral;
    for (size_t i = blockIdx.x * (size_t)Threads + threadIdx.x; i < n; i += (size_t)Threads * gridDim.x)
        mine = operation(mine, in[i]);
    cell[threadIdx.x] = mine;
    __syncthreads();
    for (int half = Threads / 2; half >= 32; half /= 2) {
        if (threadIdx.x < half)
            cell[threadIdx.x] = operation(cell[threadIdx.x], cell[threadIdx.x + half]); // RACE
#ifndef RACY
        __syncthreads();
#endif
    }
    if (threadIdx.x < 32) {
        mine = cell[threadIdx.x];
        for (int by = 16; by > 0; by /= 2)
            mine = operation(mine, __shfl_down_sync(0xffffffff, mine, by));
        if (threadIdx.x == 0)
            out[blockIdx.x] = mine;
    }
}

template <typename T> T sum(const std::vector<T> &values, int blocks)
{
    T *in = nullptr, *partial = nullptr, result;
    size_t bytes = values.size() * sizeof(T);
    assert(cudaMalloc(&in, bytes) == cudaSuccess);
    assert(cudaMalloc(&partial, blocks * sizeof(T)) == cudaSuccess);
    assert(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    reduce<T, 256><<<blocks, 256>>>(in, partial, values.size(), Plus<T>(), T(0));
    reduce<T, 64><<<1, 64>>>(partial, in, blocks, Plus<T>(), T(0));
    assert(cudaMemcpy(&result, in, sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    cudaFree(in);
    cudaFree(partial);
    return result;
}

int main()
{
    std::vector<int> integers(10000);
    std::iota(integers.begin(), integers.end(), 1);
    std::vector<double> doubles(5000, 0.5);
    int s = sum(integers, 7);
    double d = sum(doubles, 3);
    std::printf("%d and %g\n", s, d);
    return s == 50005000 && d == 2500 ? 0 : 1;
}
