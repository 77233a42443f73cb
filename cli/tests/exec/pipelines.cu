// Copies that go on beside the threads, by functions and by the class, and barriers at which threads arrive and wait apart: each block
// turns its part of the input around, in three ways.
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>
#include <cstdio>

static const int threads = 64, stages = 4;
__global__ void by_functions(const int4 *in, int4 *out) {
    __shared__ int4 part[stages][threads];
    int t = threadIdx.x;
    for (int s = 0; s < stages; s++) {
        // The last thread's copy is cut short: its last 4 bytes become 0.
        __pipeline_memcpy_async(&part[s][t], &in[s * threads + t], 16, t == threads - 1 ? 4 : 0);
        __pipeline_commit();
    }
    for (int s = 0; s < stages; s++) {
        __pipeline_wait_prior(stages - 1 - s);
        __syncthreads();
        out[s * threads + t] = part[s][threads - 1 - t];
    }
}
__global__ void by_class(const float2 *in, float2 *out) {
    __shared__ float2 part[stages][threads];
    nvcuda::experimental::pipeline pipe;
    int t = threadIdx.x;
    size_t last = 0;
    for (int s = 0; s < stages; s++) {
        nvcuda::experimental::memcpy_async(part[s][t], in[s * threads + t], pipe);
        last = pipe.commit();
    }
    pipe.wait(last);
    __syncthreads();
    for (int s = 0; s < stages; s++) out[s * threads + t] = part[s][threads - 1 - t];
}
__global__ void by_barrier(const int *in, int *out) {
    __shared__ nvcuda::experimental::awbarrier barrier;
    __shared__ __mbarrier_t copied;
    __shared__ int part[threads];
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, threads);
        __mbarrier_init(&copied, threads);
    }
    __syncthreads();
    part[t] = in[t];
    auto token = barrier.arrive();
    int mine = t + 1;
    barrier.wait(token);
    out[t] = part[threads - 1 - t] * mine;
    barrier.arrive_and_wait();
    // The arrival of the copies is one beside the thread's own.
    __pipeline_memcpy_async(&part[t], &in[threads + t], 4);
    __pipeline_arrive_on(&copied);
    __mbarrier_token_t arrived = __mbarrier_arrive(&copied);
    while (!__mbarrier_try_wait(&copied, arrived, 100)) {}
    out[threads + t] = part[threads - 1 - t];
    __syncthreads();
    if (t == 0) {
        __mbarrier_inval(&copied);
        inval(&barrier);
    }
}
int main() {
    int *in, *out, count = stages * threads * 4, wrong = 0;
    cudaMallocManaged(&in, count * sizeof(int));
    cudaMallocManaged(&out, count * sizeof(int));
    for (int i = 0; i < count; i++) in[i] = i * 3 + 1;
    by_functions<<<1, threads>>>((int4 *)in, (int4 *)out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    for (int i = 0; i < count; i++) {
        int element = i / 4, s = element / threads, from = threads - 1 - element % threads;
        int want = from == threads - 1 && i % 4 == 3 ? 0 : in[(s * threads + from) * 4 + i % 4];
        wrong += out[i] != want;
    }
    by_class<<<1, threads>>>((float2 *)in, (float2 *)out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    for (int i = 0; i < stages * threads * 2; i++) {
        int element = i / 2, s = element / threads;
        wrong += out[i] != in[(s * threads + threads - 1 - element % threads) * 2 + i % 2];
    }
    by_barrier<<<1, threads>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    for (int t = 0; t < threads; t++) {
        wrong += out[t] != in[threads - 1 - t] * (t + 1);
        wrong += out[threads + t] != in[2 * threads - 1 - t];
    }
    printf("%d results are wrong\n", wrong);
    cudaFree(in);
    cudaFree(out);
    return wrong != 0;
}
