// Streams, events, and resources of other interfaces (CUDA Runtime API reference, version 12.9,
// the chapters named below). What the library lacks answers `cudaErrorNotSupported`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Stream Management.
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int);
cudaError_t cudaStreamGetPriority(cudaStream_t, int *);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *);
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long *);
cudaError_t cudaStreamGetDevice(cudaStream_t, int *);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t);
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaLaunchAttributeID, cudaLaunchAttributeValue *);
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaLaunchAttributeID,
    const cudaLaunchAttributeValue *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned __warpsim_or(0));
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *, unsigned);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t __warpsim_or(0),
    unsigned __warpsim_or(cudaMemAttachSingle));
cudaError_t cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, const cudaGraphNode_t *,
    const cudaGraphEdgeData *, size_t, enum cudaStreamCaptureMode);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaStreamIsCapturing(cudaStream_t, enum cudaStreamCaptureStatus *);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, enum cudaStreamCaptureStatus *,
    unsigned long long * __warpsim_or(0), cudaGraph_t * __warpsim_or(0),
    const cudaGraphNode_t ** __warpsim_or(0), size_t * __warpsim_or(0));
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t, enum cudaStreamCaptureStatus *,
    unsigned long long * __warpsim_or(0), cudaGraph_t * __warpsim_or(0),
    const cudaGraphNode_t ** __warpsim_or(0), const cudaGraphEdgeData ** __warpsim_or(0),
    size_t * __warpsim_or(0));
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t *, size_t,
    unsigned __warpsim_or(0));
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t, cudaGraphNode_t *,
    const cudaGraphEdgeData *, size_t, unsigned __warpsim_or(0));

// Event Management.
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t __warpsim_or(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t __warpsim_or(0),
    unsigned __warpsim_or(0));
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventElapsedTime_v2(float *, cudaEvent_t, cudaEvent_t);

// External Resource Interoperability.
cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *,
    const struct cudaExternalMemoryHandleDesc *);
cudaError_t cudaExternalMemoryGetMappedBuffer(void **, cudaExternalMemory_t,
    const struct cudaExternalMemoryBufferDesc *);
cudaError_t cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *, cudaExternalMemory_t,
    const struct cudaExternalMemoryMipmappedArrayDesc *);
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t);
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *,
    const struct cudaExternalSemaphoreHandleDesc *);
cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *,
    const struct cudaExternalSemaphoreSignalParams *, unsigned, cudaStream_t __warpsim_or(0));
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *,
    const struct cudaExternalSemaphoreWaitParams *, unsigned, cudaStream_t __warpsim_or(0));
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t);
__warpsim_end_c
