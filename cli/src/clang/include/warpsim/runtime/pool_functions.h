// Pools, addresses, peers, graphics, textures and surfaces (CUDA Runtime API reference, version
// 12.9, the chapters named below). What the library lacks answers `cudaErrorNotSupported`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Stream Ordered Memory Allocator.
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const struct cudaMemAccessDesc *, size_t);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *, cudaMemPool_t,
    struct cudaMemLocation *);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *, const struct cudaMemPoolProps *);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMallocFromPoolAsync(void **, size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaMemPoolExportToShareableHandle(void *, cudaMemPool_t,
    enum cudaMemAllocationHandleType, unsigned);
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *, void *,
    enum cudaMemAllocationHandleType, unsigned);
cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *, void *);
cudaError_t cudaMemPoolImportPointer(void **, cudaMemPool_t, struct cudaMemPoolPtrExportData *);

// Unified Addressing.
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *);

// Peer Device Memory Access.
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned);
cudaError_t cudaDeviceDisablePeerAccess(int);

// Graphics Interoperability.
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, unsigned);
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t *, cudaStream_t __warpsim_or(0));
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t *, cudaStream_t __warpsim_or(0));
cudaError_t cudaGraphicsResourceGetMappedPointer(void **, size_t *, cudaGraphicsResource_t);
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *, cudaGraphicsResource_t, unsigned,
    unsigned);
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *,
    cudaGraphicsResource_t);

// Texture Object Management.
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *, cudaArray_const_t);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *,
    cudaTextureObject_t);

// Surface Object Management.
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *, cudaSurfaceObject_t);
__warpsim_end_c
