// Kernels that start kernels: parameters of all alignments, kernels that are templates, a tree of launches, launches that
// follow their grid (`cudaStreamTailLaunch`). With `-DRACY` the kernel that is started has a race, which has to be found at
// its line. Prints a line where the host computes the same.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

struct Pair {
    char small;
    double large;
};

__global__ void put(int *to, char a, Pair pair, short b) {
    if (threadIdx.x == 0) to[blockIdx.x] = a + pair.small + (int)pair.large + b + gridDim.x * blockDim.x;
}

namespace sums {
template <class T, int N> __global__ void add(T *sum, const T *from) {
    __shared__ T part[N];
    part[threadIdx.x] = from[threadIdx.x];
#ifndef RACY
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
        T all = 0;
        for (int i = 0; i < N; i++) all += part[i]; // RACE
        *sum += all;
    }
}
} // namespace sums

// The sum of what lies between two places: of two halves, each by a kernel of its own.
__global__ void tree(unsigned *sum, unsigned from, unsigned to) {
    if (to - from == 1) {
        atomicAdd(sum, from);
        return;
    }
    unsigned middle = from + (to - from) / 2;
    tree<<<1, 1>>>(sum, from, middle);
    tree<<<1, 1>>>(sum, middle, to);
}

__global__ void write(int *log, int *length, int what) { log[atomicAdd(length, 1)] = what; }

__global__ void parent(int *to, int *sum, const int *from, unsigned *all, int *log, int *length) {
    cudaStream_t own;
    if (threadIdx.x == 0) {
        write<<<1, 1, 0, cudaStreamTailLaunch>>>(log, length, 3);
        write<<<1, 1, 0, cudaStreamFireAndForget>>>(log, length, 1);
        put<<<dim3(2, 1), 32>>>(to, 1, Pair{2, 3.5}, 4);
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
        sums::add<int, 64><<<1, 64, 0, own>>>(sum, from);
        cudaStreamDestroy(own);
        tree<<<1, 1>>>(all, 0u, 50u);
        write<<<1, 1>>>(log, length, 2);
        if (cudaGetLastError() != cudaSuccess) log[atomicAdd(length, 1)] = 9;
    }
}

// More than may wait: the last ones are refused, and nothing is lost without a word.
__global__ void many(int *refused) {
    void *buffer = cudaGetParameterBufferV2((void *)0, dim3(1), dim3(1), 0);
    if (!buffer) atomicAdd(refused, 1);
}

int main() {
    constexpr int n = 64;
    int host[n], sum = 0, expected = 0, *from, *results;
    unsigned *all, tree_sum = 0;
    for (int i = 0; i < n; i++) host[i] = 3 * i - 7, expected += host[i];
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&results, 16 * sizeof(int));
    cudaMalloc(&all, sizeof(unsigned));
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(results, 0, 16 * sizeof(int));
    cudaMemset(all, 0, sizeof(unsigned));
    parent<<<1, 32>>>(results, results + 2, from, all, results + 4, results + 8);
    many<<<65, 32>>>(results + 9);
    int got[16];
    if (cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    cudaMemcpy(&tree_sum, all, sizeof tree_sum, cudaMemcpyDeviceToHost);
    sum = got[2];
    int one = 1 + 2 + 3 + 4 + 2 * 32, right[] = {1, 2, 3};
    if (got[0] != one || got[1] != one) return printf("parameters: %d %d\n", got[0], got[1]);
#ifndef RACY
    if (sum != expected) return printf("sum: %d, not %d\n", sum, expected);
#endif
    if (tree_sum != 49 * 50 / 2) return printf("tree: %u\n", tree_sum);
    if (got[8] != 3 || memcmp(got + 4, right, sizeof right)) return printf("order: %d %d %d\n", got[4], got[5], got[6]);
    if (got[9] != 65 * 32 - 2048) return printf("refused: %d\n", got[9]);
    printf("kernels started kernels\n");
    return 0;
}
