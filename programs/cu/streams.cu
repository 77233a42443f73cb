// Work in chunks on two streams, copies and kernels by turns, and the whole summed when both are done. With RACY the sum does
// not wait for the second stream.
#include <cstdio>
#include <vector>

__global__ void square(float *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= values[i]; // RACE
}

__global__ void add_up(const float *values, int n, float *sum)
{
    float mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += values[i]; // RACE
    for (int by = 16; by > 0; by /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, by);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

int main()
{
    const int chunks = 6, n = 256;
    float *host, *device, *sum, total = 0;
    cudaMallocHost(&host, chunks * n * sizeof(float));
    cudaMalloc(&device, chunks * n * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    for (int i = 0; i < chunks * n; ++i)
        host[i] = i % 10;
    cudaStream_t streams[2];
    cudaEvent_t begun, done[2];
    cudaEventCreate(&begun);
    for (int s = 0; s < 2; ++s) {
        cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming);
    }
    cudaEventRecord(begun, streams[0]);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        float *from = host + chunk * n, *to = device + chunk * n;
        cudaStream_t stream = streams[chunk % 2];
        cudaMemcpyAsync(to, from, n * sizeof(float), cudaMemcpyHostToDevice, stream);
        square<<<n / 128, 128, 0, stream>>>(to, n);
    }
    for (int s = 0; s < 2; ++s)
        cudaEventRecord(done[s], streams[s]);
    cudaMemsetAsync(sum, 0, sizeof(float), streams[0]);
#ifndef RACY
    cudaStreamWaitEvent(streams[0], done[1], 0);
#endif
    add_up<<<1, 128, 0, streams[0]>>>(device, chunks * n, sum);
    cudaMemcpyAsync(&total, sum, sizeof total, cudaMemcpyDeviceToHost, streams[0]);
    cudaStreamSynchronize(streams[0]);
    cudaStreamSynchronize(streams[1]);
    float wanted = 0;
    for (int i = 0; i < chunks * n; ++i)
        wanted += (i % 10) * (i % 10);
    cudaEventDestroy(begun);
    for (int s = 0; s < 2; ++s) {
        cudaEventDestroy(done[s]);
        cudaStreamDestroy(streams[s]);
    }
    cudaFree(device);
    cudaFree(sum);
    cudaFreeHost(host);
    std::printf("the sum of squares is %g\n", total);
    return total == wanted ? 0 : 1;
}
