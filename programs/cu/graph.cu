// Steps captured as a graph, one of them on a branch, and launched several times. With RACY the last step waits for what the
// branch began with, and not for all of it.
#include <cstdio>
#include <vector>

__global__ void fill(float *values, float with) { values[threadIdx.x] = with + threadIdx.x; }
__global__ void scale(float *values, float by) { values[threadIdx.x] *= by; } // RACE
__global__ void add(const float *a, const float *b, float *sum) { sum[threadIdx.x] += a[threadIdx.x] + b[threadIdx.x]; } // RACE

int main()
{
    const int n = 64, times = 3;
    float *a, *b, *sum;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&sum, n * sizeof(float));
    cudaMemset(sum, 0, n * sizeof(float));
    cudaStream_t main_stream, branch;
    cudaEvent_t forked, joined;
    cudaStreamCreate(&main_stream);
    cudaStreamCreate(&branch);
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal);
    fill<<<1, n, 0, main_stream>>>(a, 1);
    cudaEventRecord(forked, main_stream);
    cudaStreamWaitEvent(branch, forked);
    fill<<<1, n, 0, branch>>>(b, 2);
    cudaEventRecord(joined, branch);
    scale<<<1, n, 0, branch>>>(b, 10);
#ifndef RACY
    cudaEventRecord(joined, branch);
#endif
    cudaStreamWaitEvent(main_stream, joined);
    add<<<1, n, 0, main_stream>>>(a, b, sum);
#ifdef RACY
    // What a capture forked has to be joined again: here behind the last step.
    cudaEventRecord(joined, branch);
    cudaStreamWaitEvent(main_stream, joined);
#endif
    cudaStreamEndCapture(main_stream, &graph);
    cudaError_t error = cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < times; ++i)
        cudaGraphLaunch(exec, main_stream);
    cudaStreamSynchronize(main_stream);
    std::vector<float> found(n);
    cudaMemcpy(found.data(), sum, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
    cudaStreamDestroy(main_stream);
    cudaStreamDestroy(branch);
    for (float *memory : {a, b, sum})
        cudaFree(memory);
    for (int i = 0; i < n; ++i)
        if (found[i] != times * (1.0f + i + 10 * (2.0f + i))) {
            std::printf("%s: sum[%d] is %g\n", cudaGetErrorName(error), i, found[i]);
            return 1;
        }
    std::printf("%d launches of a graph are right\n", times);
}
