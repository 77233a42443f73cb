// Functions that the runtime of CUDA 13 adds (CUDA Runtime API reference, version 13). What the
// library lacks answers `cudaErrorNotSupported`.
#pragma once
#include "../c.h"

__warpsim_begin_c
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *, const enum cudaAtomicOperation *,
    unsigned, int);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *, const enum cudaAtomicOperation *,
    unsigned, int, int);
cudaError_t cudaStreamBeginRecaptureToGraph(cudaStream_t, enum cudaStreamCaptureMode, cudaGraph_t,
    struct cudaGraphRecaptureCallbackData * __warpsim_or(0));
cudaError_t cudaFuncGetParamCount(const void *, size_t *);
cudaError_t cudaLaunchHostFunc_v2(cudaStream_t, cudaHostFn_t, void *, unsigned);
cudaError_t cudaMemcpyWithAttributesAsync(void *, const void *, size_t,
    struct cudaMemcpyAttributes *, cudaStream_t);
cudaError_t cudaMemcpy3DWithAttributesAsync(struct cudaMemcpy3DBatchOp *, unsigned long long,
    cudaStream_t);
cudaError_t cudaMemPrefetchBatchAsync(void **, size_t *, size_t, struct cudaMemLocation *, size_t *,
    size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemDiscardBatchAsync(void **, size_t *, size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **, size_t *, size_t, struct cudaMemLocation *,
    size_t *, size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemGetLocationInfo(void *, size_t, size_t, size_t, struct cudaMemLocation *);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *, struct cudaMemLocation *,
    enum cudaMemAllocationType);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *, struct cudaMemLocation *,
    enum cudaMemAllocationType);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *, enum cudaMemAllocationType, cudaMemPool_t);
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t, void *, cudaLogsCallbackHandle *);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle);
cudaError_t cudaLogsCurrent(cudaLogIterator *, unsigned);
cudaError_t cudaLogsDumpToFile(cudaLogIterator *, const char *, unsigned);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *, char *, size_t *, unsigned);
cudaError_t cudaGraphNodeGetContainingGraph(cudaGraphNode_t, cudaGraph_t *);
cudaError_t cudaGraphNodeGetLocalId(cudaGraphNode_t, unsigned *);
cudaError_t cudaGraphNodeGetToolsId(cudaGraphNode_t, unsigned long long *);
cudaError_t cudaGraphGetId(cudaGraph_t, unsigned *);
cudaError_t cudaGraphExecGetId(cudaGraphExec_t, unsigned *);
cudaError_t cudaGraphNodeGetParams(cudaGraphNode_t, struct cudaGraphNodeParams *);
cudaError_t cudaGraphConditionalHandleCreate_v2(cudaGraphConditionalHandle *, cudaGraph_t,
    cudaExecutionContext_t __warpsim_or(NULL), unsigned __warpsim_or(0), unsigned __warpsim_or(0));
cudaError_t cudaDeviceGetDevResource(int, cudaDevResource *, enum cudaDevResourceType);
cudaError_t cudaDevSmResourceSplitByCount(cudaDevResource *, unsigned *, const cudaDevResource *,
    cudaDevResource *, unsigned, unsigned);
cudaError_t cudaDevSmResourceSplit(cudaDevResource *, unsigned, const cudaDevResource *,
    cudaDevResource *, unsigned, cudaDevSmResourceGroupParams *);
cudaError_t cudaDevResourceGenerateDesc(cudaDevResourceDesc_t *, cudaDevResource *, unsigned);
cudaError_t cudaGreenCtxCreate(cudaExecutionContext_t *, cudaDevResourceDesc_t, int, unsigned);
cudaError_t cudaExecutionCtxDestroy(cudaExecutionContext_t);
cudaError_t cudaExecutionCtxGetDevResource(cudaExecutionContext_t, cudaDevResource *,
    enum cudaDevResourceType);
cudaError_t cudaExecutionCtxGetDevice(int *, cudaExecutionContext_t);
cudaError_t cudaExecutionCtxGetId(cudaExecutionContext_t, unsigned long long *);
cudaError_t cudaExecutionCtxStreamCreate(cudaStream_t *, cudaExecutionContext_t, unsigned, int);
cudaError_t cudaExecutionCtxSynchronize(cudaExecutionContext_t);
cudaError_t cudaStreamGetDevResource(cudaStream_t, cudaDevResource *, enum cudaDevResourceType);
cudaError_t cudaExecutionCtxRecordEvent(cudaExecutionContext_t, cudaEvent_t);
cudaError_t cudaExecutionCtxWaitEvent(cudaExecutionContext_t, cudaEvent_t);
cudaError_t cudaDeviceGetExecutionCtx(cudaExecutionContext_t *, int);
__warpsim_end_c
