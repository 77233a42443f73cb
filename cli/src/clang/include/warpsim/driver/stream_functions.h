// Streams, events, and resources of other interfaces (CUDA Driver API reference, version 12.9,
// the chapters named below). What the library lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Stream Management.
CUresult CUDAAPI cuStreamCreate(CUstream *, unsigned);
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *, unsigned, int);
CUresult CUDAAPI cuStreamGetPriority(CUstream, int *);
CUresult CUDAAPI cuStreamGetDevice(CUstream, CUdevice *);
CUresult CUDAAPI cuStreamGetFlags(CUstream, unsigned *);
CUresult CUDAAPI cuStreamGetId(CUstream, unsigned long long *);
CUresult CUDAAPI cuStreamGetCtx(CUstream, CUcontext *);
CUresult CUDAAPI cuStreamGetCtx_v2(CUstream, CUcontext *, CUgreenCtx *);
CUresult CUDAAPI cuStreamWaitEvent(CUstream, CUevent, unsigned);
CUresult CUDAAPI cuStreamAddCallback(CUstream, CUstreamCallback, void *, unsigned);
CUresult CUDAAPI cuStreamBeginCapture(CUstream, CUstreamCaptureMode);
CUresult CUDAAPI cuStreamBeginCaptureToGraph(CUstream, CUgraph, const CUgraphNode *,
    const CUgraphEdgeData *, size_t, CUstreamCaptureMode);
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *);
CUresult CUDAAPI cuStreamEndCapture(CUstream, CUgraph *);
CUresult CUDAAPI cuStreamIsCapturing(CUstream, CUstreamCaptureStatus *);
CUresult CUDAAPI cuStreamGetCaptureInfo(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
    const CUgraphNode **, size_t *);
CUresult CUDAAPI cuStreamGetCaptureInfo_v3(CUstream, CUstreamCaptureStatus *, cuuint64_t *,
    CUgraph *, const CUgraphNode **, const CUgraphEdgeData **, size_t *);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies(CUstream, CUgraphNode *, size_t, unsigned);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies_v2(CUstream, CUgraphNode *,
    const CUgraphEdgeData *, size_t, unsigned);
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream, CUdeviceptr, size_t, unsigned);
CUresult CUDAAPI cuStreamQuery(CUstream);
CUresult CUDAAPI cuStreamSynchronize(CUstream);
CUresult CUDAAPI cuStreamDestroy(CUstream);
CUresult CUDAAPI cuStreamCopyAttributes(CUstream, CUstream);
CUresult CUDAAPI cuStreamGetAttribute(CUstream, CUstreamAttrID, CUstreamAttrValue *);
CUresult CUDAAPI cuStreamSetAttribute(CUstream, CUstreamAttrID, const CUstreamAttrValue *);

// Event Management.
CUresult CUDAAPI cuEventCreate(CUevent *, unsigned);
CUresult CUDAAPI cuEventRecord(CUevent, CUstream);
CUresult CUDAAPI cuEventRecordWithFlags(CUevent, CUstream, unsigned);
CUresult CUDAAPI cuEventQuery(CUevent);
CUresult CUDAAPI cuEventSynchronize(CUevent);
CUresult CUDAAPI cuEventDestroy(CUevent);
CUresult CUDAAPI cuEventElapsedTime(float *, CUevent, CUevent);
CUresult CUDAAPI cuEventElapsedTime_v2(float *, CUevent, CUevent);

// External Resource Interoperability.
CUresult CUDAAPI cuImportExternalMemory(CUexternalMemory *,
    const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *);
CUresult CUDAAPI cuExternalMemoryGetMappedBuffer(CUdeviceptr *, CUexternalMemory,
    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *);
CUresult CUDAAPI cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *, CUexternalMemory,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *);
CUresult CUDAAPI cuDestroyExternalMemory(CUexternalMemory);
CUresult CUDAAPI cuImportExternalSemaphore(CUexternalSemaphore *,
    const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *);
CUresult CUDAAPI cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *,
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *, unsigned, CUstream);
CUresult CUDAAPI cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *,
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *, unsigned, CUstream);
CUresult CUDAAPI cuDestroyExternalSemaphore(CUexternalSemaphore);

// Stream Memory Operations.
CUresult CUDAAPI cuStreamWaitValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult CUDAAPI cuStreamWaitValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult CUDAAPI cuStreamWriteValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult CUDAAPI cuStreamWriteValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult CUDAAPI cuStreamBatchMemOp(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned);
__warpsim_end_c
