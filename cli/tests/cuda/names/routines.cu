// What the CUDA Runtime API has for C++ (version 12.9, "C++ API Routines"; version 13; version 11.8, "Texture Reference
// Management" and "Surface Reference Management"): each form is called once. It is compiled, not run, as CUDA and as C++.
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void kernel(int *p, float f) { (void)p, (void)f; }
__device__ float symbol[4];
texture<float, 1, cudaReadModeElementType> line;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> picture;
surface<void, 2> canvas;
struct Held {};

#define ok(call) error = call

// [Memory Management]
cudaError_t memory(cudaStream_t stream, cudaMemPool_t pool, cudaLibrary_t library) {
    cudaError_t error;
    float *p;
    void *q;
    size_t n = 0;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMemcpyAttributes how = {};
    ok(cudaMalloc(&p, 4));
    ok(cudaMalloc((void **)&p, 4));
    ok(cudaMallocPitch(&p, &n, 4, 4));
    ok(cudaMallocHost(&p, 4));
    ok(cudaMallocHost(&p, 4, cudaHostAllocPortable));
    ok(cudaMallocHost(&q, 4, cudaHostAllocPortable));
    ok(cudaHostAlloc(&p, 4, cudaHostAllocMapped));
    ok(cudaHostGetDevicePointer(&p, q, 0));
    ok(cudaMallocManaged(&p, 4));
    ok(cudaMallocManaged(&p, 4, cudaMemAttachHost));
    ok(cudaMallocAsync(&p, 4, stream));
    ok(cudaMallocAsync(&p, 4, pool, stream));
    ok(cudaMallocAsync(&q, 4, pool, stream));
    ok(cudaMallocFromPoolAsync(&p, 4, pool, stream));
    ok(cudaStreamAttachMemAsync(stream, p));
    ok(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachSingle));
    ok(cudaMemAdvise(p, 4, cudaMemAdviseSetReadMostly, 0));
    ok(cudaMemAdvise(p, 4, cudaMemAdviseSetReadMostly, here));
    ok(cudaMemPrefetchAsync(p, 4, 0));
    ok(cudaMemPrefetchAsync(p, 4, here, 0));
    ok(cudaMemPrefetchAsync(p, 4, here, 0, stream));
    ok(cudaMemcpyBatchAsync(&p, &p, &n, 1, &how, &n, 1, &n, stream));
    ok(cudaMemcpyBatchAsync(&p, &p, &n, 1, how, &n, stream));
    ok(cudaMemcpyBatchAsync(&p, &p, &n, 1, &how, &n, 1, stream));
    ok(cudaMemcpyBatchAsync(&p, &p, &n, 1, how, stream));
    ok(cudaMemPrefetchBatchAsync(&p, &n, 1, &here, &n, 1, 0, stream));
    ok(cudaMemPrefetchBatchAsync(&p, &n, 1, here, 0, stream));
    ok(cudaMemDiscardAndPrefetchBatchAsync(&p, &n, 1, &here, &n, 1, 0, stream));
    ok(cudaMemDiscardAndPrefetchBatchAsync(&p, &n, 1, here, 0, stream));
    ok(cudaGetSymbolAddress((void **)&p, symbol));
    ok(cudaGetSymbolAddress(&q, symbol));
    ok(cudaGetSymbolSize(&n, symbol));
    ok(cudaMemcpyToSymbol(symbol, p, 4));
    ok(cudaMemcpyToSymbol(symbol, p, 4, 0, cudaMemcpyDeviceToDevice));
    ok(cudaMemcpyFromSymbol(p, symbol, 4));
    ok(cudaMemcpyToSymbolAsync(symbol, p, 4, 0, cudaMemcpyHostToDevice, stream));
    ok(cudaMemcpyFromSymbolAsync(p, symbol, 4, 0, cudaMemcpyDeviceToHost, stream));
    ok(cudaLibraryGetGlobal(&p, &n, library, "x"));
    ok(cudaLibraryGetManaged(&p, &n, library, "x"));
    ok(cudaLibraryGetUnifiedFunction(&p, library, "x"));
    return error;
}

// [Execution Control]
static size_t shared_of(int threads) { return 4 * threads; }
cudaError_t launches(cudaStream_t stream, cudaLaunchConfig_t *config, int *p) {
    cudaError_t error;
    float f = 1;
    void *arguments[] = {&p, &f};
    cudaFuncAttributes of;
    cudaKernel_t handle;
    const char *name;
    int blocks, threads;
    size_t n;
    ok(cudaLaunchKernel(kernel, dim3(1), dim3(2), arguments));
    ok(cudaLaunchKernel(&kernel, 1, 2, arguments, 0, stream));
    ok(cudaLaunchKernel((void *)kernel, dim3(1), dim3(2), arguments, 0, stream));
    ok(cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(2), arguments));
    ok(cudaLaunchCooperativeKernel((void *)kernel, 1, 2, arguments, 0, stream));
    ok(cudaLaunchKernelEx(config, kernel, p, 1.0));
    ok(cudaGetKernel(&handle, kernel));
    ok(cudaLaunchKernelEx(config, handle, p, f));
    ok(cudaFuncGetAttributes(&of, kernel));
    ok(cudaFuncGetAttributes(&of, (const void *)kernel));
    ok(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    ok(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1));
    ok(cudaFuncSetSharedMemConfig(kernel, cudaSharedMemBankSizeFourByte));
    ok(cudaFuncGetName(&name, kernel));
    ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0));
    ok(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 128, 0, cudaOccupancyDefault));
    ok(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel));
    ok(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, (void *)kernel, 0, 0));
    ok(cudaOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &threads, kernel, 0, 0, cudaOccupancyDefault));
    ok(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, kernel, shared_of));
    ok(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, (void *)kernel, [](int n) { return n; }, 64));
    ok(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&blocks, &threads, kernel, shared_of, 0, 0));
    ok(cudaOccupancyAvailableDynamicSMemPerBlock(&n, kernel, 1, 64));
    ok(cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, config));
    ok(cudaOccupancyMaxActiveClusters(&blocks, kernel, config));
    return error;
}

// [Graph Management]
cudaError_t graphs(cudaGraph_t graph, cudaGraphExec_t exec, cudaGraphNode_t node, float *p, cudaStream_t stream) {
    cudaError_t error;
    char log[64];
    size_t n = 0;
    cudaGraphExecUpdateResult result;
    cudaGraphEdgeData edge;
    cudaGraphNodeParams all = {};
    cudaUserObject_t object;
    cudaEvent_t event;
    ok(cudaEventCreate(&event, cudaEventDisableTiming));
    ok(cudaGraphInstantiate(&exec, graph));
    ok(cudaGraphInstantiate(&exec, graph, 0));
    ok(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    ok(cudaGraphInstantiate(&exec, graph, &node, log, sizeof log));
    ok(cudaGraphExecUpdate(exec, graph, &node, &result));
    ok(cudaGraphAddMemcpyNodeToSymbol(&node, graph, NULL, 0, symbol, p, 4, 0, cudaMemcpyHostToDevice));
    ok(cudaGraphAddMemcpyNodeFromSymbol(&node, graph, NULL, 0, p, symbol, 4, 0, cudaMemcpyDeviceToHost));
    ok(cudaGraphMemcpyNodeSetParamsToSymbol(node, symbol, p, 4, 0, cudaMemcpyHostToDevice));
    ok(cudaGraphMemcpyNodeSetParamsFromSymbol(node, p, symbol, 4, 0, cudaMemcpyDeviceToHost));
    ok(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, symbol, p, 4, 0, cudaMemcpyHostToDevice));
    ok(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, p, symbol, 4, 0, cudaMemcpyDeviceToHost));
    ok(cudaUserObjectCreate(&object, new Held, 1, cudaUserObjectNoDestructorSync));
    ok(cudaUserObjectCreate(&object, new Held, 1, 1u));
    ok(cudaGraphAddNode(&node, graph, NULL, 0, &all));
    ok(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &all));
    ok(cudaGraphAddDependencies(graph, &node, &node, 1));
    ok(cudaGraphAddDependencies(graph, &node, &node, &edge, 1));
    ok(cudaGraphRemoveDependencies(graph, &node, &node, &edge, 1));
    ok(cudaGraphGetEdges(graph, &node, &node, &n));
    ok(cudaGraphGetEdges(graph, &node, &node, &edge, &n));
    ok(cudaGraphNodeGetDependencies(node, &node, &edge, &n));
    ok(cudaGraphNodeGetDependentNodes(node, &node, &edge, &n));
    ok(cudaStreamUpdateCaptureDependencies(stream, &node, 1));
    ok(cudaStreamUpdateCaptureDependencies(stream, &node, &edge, 1));
    return error;
}

// [Texture Object Management]
template <class T> int formats() { return cudaCreateChannelDesc<T>().x; }
int formats() {
    return formats<char>() + formats<uchar4>() + formats<short2>() + formats<float4>() + formats<int1>() + formats<double>() +
           cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized8X4>().x + cudaCreateChannelDescHalf().x +
           cudaCreateChannelDescHalf1().x + cudaCreateChannelDescHalf2().x + cudaCreateChannelDescHalf4().x +
           cudaCreateChannelDescNV12().x;
}

// [Texture Reference Management [REMOVED]]
cudaError_t references(float *p, cudaArray_t array, cudaMipmappedArray_t levels) {
    cudaError_t error;
    size_t offset;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const textureReference *reference;
    const surfaceReference *surface;
    line.normalized = false;
    line.filterMode = cudaFilterModePoint;
    picture.addressMode[1] = cudaAddressModeWrap;
    ok(cudaBindTexture(0, line, p));
    ok(cudaBindTexture(&offset, line, p, 64));
    ok(cudaBindTexture(&offset, line, p, format, 64));
    ok(cudaBindTexture(&offset, &line, p, &format, 64));
    ok(cudaBindTexture2D(&offset, picture, p, 4, 4, 512));
    ok(cudaBindTexture2D(&offset, picture, p, format, 4, 4, 512));
    ok(cudaBindTextureToArray(picture, array));
    ok(cudaBindTextureToArray(picture, array, format));
    ok(cudaBindTextureToMipmappedArray(picture, levels));
    ok(cudaBindTextureToMipmappedArray(picture, levels, format));
    ok(cudaGetTextureAlignmentOffset(&offset, line));
    ok(cudaGetTextureReference(&reference, &line));
    ok(cudaUnbindTexture(line));
    ok(cudaUnbindTexture(reference));
    ok(cudaBindSurfaceToArray(canvas, array));
    ok(cudaBindSurfaceToArray(canvas, array, format));
    ok(cudaGetSurfaceReference(&surface, &canvas));
    return error;
}

// [Functions that version 12 or 13 removed or deprecated]
cudaError_t removed(cudaArray_t array, float *p) {
    cudaError_t error;
    ok(cudaThreadSynchronize());
    ok(cudaThreadExit());
    ok(cudaThreadSetCacheConfig(cudaFuncCachePreferNone));
    ok(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    ok(cudaMemcpyToArray(array, 0, 0, p, 4, cudaMemcpyHostToDevice));
    ok(cudaMemcpyFromArray(p, array, 0, 0, 4, cudaMemcpyDeviceToHost));
    ok(cudaMemcpyArrayToArray(array, 0, 0, array, 0, 0, 4));
    return error;
}

// [Context Management]
CUresult contexts(CUcontext *context, CUctxCreateParams *how) {
    cuCtxCreate(context, 0, 0);
    return cuCtxCreate(context, how, 0, 0);
}
