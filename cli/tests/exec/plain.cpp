// A program of C and of C++ that a host compiler compiles, and that starts no kernel: vectors, memory, streams, events, the driver
// API. It reads nothing but these headers. Prints a line where all is right.
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int wrong = 0, i, version = 0;
    float host[256], back[256], *p;
    struct cudaDeviceProp all;
    cudaStream_t stream;
    cudaEvent_t event;
    CUdevice device;
    size_t bytes = 0;
    int4 v = make_int4(1, 2, 3, 4);
    double2 w = make_double2(0.5, 0.25);
    for (i = 0; i < 256; i++) host[i] = (float)i;
    nvtxRangePush("all");
    wrong += v.x + v.y + v.z + v.w != 10 || w.x + w.y != 0.75;
    wrong += cudaGetDeviceProperties(&all, 0) != cudaSuccess || all.warpSize != 32 || all.maxThreadsPerBlock != 1024;
    wrong += strlen(all.name) == 0 || all.multiProcessorCount <= 0 || all.totalGlobalMem == 0;
    wrong += cudaMalloc((void **)&p, sizeof host) != cudaSuccess;
    wrong += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess;
    wrong += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
    wrong += cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, stream) != cudaSuccess;
    wrong += cudaEventRecord(event, stream) != cudaSuccess || cudaEventSynchronize(event) != cudaSuccess;
    wrong += cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost) != cudaSuccess || memcmp(host, back, sizeof back);
    wrong += cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS;
    wrong += cuDriverGetVersion(&version) != CUDA_SUCCESS || version < CUDA_VERSION / 1000 * 1000;
    wrong += cuDeviceTotalMem(&bytes, device) != CUDA_SUCCESS || bytes != all.totalGlobalMem;
    wrong += cuMemcpyDtoH(back, (CUdeviceptr)p, 4) != CUDA_SUCCESS || back[0] != 0;
    wrong += cudaStreamDestroy(stream) != cudaSuccess || cudaEventDestroy(event) != cudaSuccess || cudaFree(p) != cudaSuccess;
    nvtxRangePop();
    if (!wrong) puts("the plain program is right");
    return wrong != 0;
}
