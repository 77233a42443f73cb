// Memory (CUDA Runtime API reference, version 12.9, the chapters named below). What the library
// lacks answers `cudaErrorNotSupported`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Memory Management.
cudaError_t cudaMallocManaged(void **, size_t, unsigned __warpsim_or(cudaMemAttachGlobal));
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *, size_t,
    size_t __warpsim_or(0), unsigned __warpsim_or(0));
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaHostRegister(void *, size_t, unsigned);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned);
cudaError_t cudaHostGetFlags(unsigned *, void *);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *,
    struct cudaExtent, unsigned __warpsim_or(0));
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *, const struct cudaChannelFormatDesc *,
    struct cudaExtent, unsigned, unsigned __warpsim_or(0));
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *, cudaMipmappedArray_const_t, unsigned);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *);
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *, cudaStream_t __warpsim_or(0));
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *,
    cudaStream_t __warpsim_or(0));
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *, struct cudaExtent *, unsigned *,
    cudaArray_t);
cudaError_t cudaArrayGetPlane(cudaArray_t *, cudaArray_t, unsigned);
cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *, cudaArray_t, int);
cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *,
    cudaMipmappedArray_t, int);
cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *, cudaArray_t);
cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *,
    cudaMipmappedArray_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t,
    enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArray(void *, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t,
    enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t, size_t, size_t, cudaArray_const_t, size_t, size_t,
    size_t, size_t, enum cudaMemcpyKind __warpsim_or(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t __warpsim_or(0),
    enum cudaMemcpyKind __warpsim_or(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t __warpsim_or(0),
    enum cudaMemcpyKind __warpsim_or(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind,
    cudaStream_t __warpsim_or(0));
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t,
    cudaStream_t __warpsim_or(0));
cudaError_t cudaMemcpyBatchAsync(void **, void **, size_t *, size_t, struct cudaMemcpyAttributes *,
    size_t *, size_t, size_t *, cudaStream_t);
cudaError_t cudaMemcpy3DBatchAsync(size_t, struct cudaMemcpy3DBatchOp *, size_t *,
    unsigned long long, cudaStream_t);
cudaError_t cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t,
    enum cudaMemcpyKind, cudaStream_t __warpsim_or(0));
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t, size_t, size_t, const void *, size_t, size_t,
    size_t, enum cudaMemcpyKind, cudaStream_t __warpsim_or(0));
cudaError_t cudaMemcpy2DFromArrayAsync(void *, size_t, cudaArray_const_t, size_t, size_t, size_t,
    size_t, enum cudaMemcpyKind, cudaStream_t __warpsim_or(0));
cudaError_t cudaMemcpyToSymbolAsync(const void *, const void *, size_t, size_t, enum cudaMemcpyKind,
    cudaStream_t __warpsim_or(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *, const void *, size_t, size_t, enum cudaMemcpyKind,
    cudaStream_t __warpsim_or(0));
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemset3D(struct cudaPitchedPtr, int, struct cudaExtent);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t __warpsim_or(0));
cudaError_t cudaMemset2DAsync(void *, size_t, int, size_t, size_t, cudaStream_t __warpsim_or(0));
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr, int, struct cudaExtent,
    cudaStream_t __warpsim_or(0));
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaGetSymbolSize(size_t *, const void *);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t __warpsim_or(0));
cudaError_t cudaMemPrefetchAsync_v2(const void *, size_t, struct cudaMemLocation, unsigned,
    cudaStream_t __warpsim_or(0));
cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, int);
cudaError_t cudaMemAdvise_v2(const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
cudaError_t cudaMemRangeGetAttribute(void *, size_t, enum cudaMemRangeAttribute, const void *,
    size_t);
cudaError_t cudaMemRangeGetAttributes(void **, size_t *, enum cudaMemRangeAttribute *, size_t,
    const void *, size_t);

// Memory Management [DEPRECATED].
__warpsim_deprecated cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void *,
    size_t, enum cudaMemcpyKind);
__warpsim_deprecated cudaError_t cudaMemcpyFromArray(void *, cudaArray_const_t, size_t, size_t,
    size_t, enum cudaMemcpyKind);
__warpsim_deprecated cudaError_t cudaMemcpyArrayToArray(cudaArray_t, size_t, size_t,
    cudaArray_const_t, size_t, size_t, size_t,
    enum cudaMemcpyKind __warpsim_or(cudaMemcpyDeviceToDevice));
__warpsim_deprecated cudaError_t cudaMemcpyToArrayAsync(cudaArray_t, size_t, size_t, const void *,
    size_t, enum cudaMemcpyKind, cudaStream_t __warpsim_or(0));
__warpsim_deprecated cudaError_t cudaMemcpyFromArrayAsync(void *, cudaArray_const_t, size_t, size_t,
    size_t, enum cudaMemcpyKind, cudaStream_t __warpsim_or(0));
__warpsim_end_c
