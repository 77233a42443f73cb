// Adds two vectors. With RACY the host reads the sums before the kernel's stream has come to them.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));    \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

__global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i]; // RACE
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    const size_t bytes = n * sizeof(float);
    float *a, *b, *sum, *on_a, *on_b, *on_sum;
    CHECK(cudaMallocHost(&a, bytes));
    CHECK(cudaMallocHost(&b, bytes));
    CHECK(cudaMallocHost(&sum, bytes));
    for (int i = 0; i < n; ++i) {
        a[i] = i;
        b[i] = 2.0f * i;
    }
    CHECK(cudaMalloc(&on_a, bytes));
    CHECK(cudaMalloc(&on_b, bytes));
    CHECK(cudaMalloc(&on_sum, bytes));
    CHECK(cudaMemcpy(on_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(on_b, b, bytes, cudaMemcpyHostToDevice));

    cudaStream_t adding, copying;
    CHECK(cudaStreamCreateWithFlags(&adding, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking));
    add<<<(n + 255) / 256, 256, 0, adding>>>(on_a, on_b, on_sum, n);
    CHECK(cudaGetLastError());
#ifndef RACY
    CHECK(cudaStreamSynchronize(adding));
#endif
    CHECK(cudaMemcpyAsync(sum, on_sum, bytes, cudaMemcpyDeviceToHost, copying));
    CHECK(cudaStreamSynchronize(copying));
    CHECK(cudaDeviceSynchronize());

    for (int i = 0; i < n; ++i)
        if (sum[i] != 3.0f * i) {
            std::printf("sum[%d] is %g\n", i, sum[i]);
            return 1;
        }
    std::printf("%d sums are right\n", n);
    CHECK(cudaFree(on_a));
    CHECK(cudaFree(on_b));
    CHECK(cudaFree(on_sum));
    CHECK(cudaFreeHost(a));
    CHECK(cudaFreeHost(b));
    CHECK(cudaFreeHost(sum));
    CHECK(cudaStreamDestroy(adding));
    CHECK(cudaStreamDestroy(copying));
}
