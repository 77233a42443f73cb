// Memory (CUDA Driver API reference, version 12.9, the chapters named below). What the library
// lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Memory Management.
CUresult CUDAAPI cuMemGetInfo(size_t *, size_t *);
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *, size_t);
CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr *, size_t *, size_t, size_t, unsigned);
CUresult CUDAAPI cuMemFree(CUdeviceptr);
CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr *, size_t *, CUdeviceptr);
CUresult CUDAAPI cuMemAllocHost(void **, size_t);
CUresult CUDAAPI cuMemFreeHost(void *);
CUresult CUDAAPI cuMemHostAlloc(void **, size_t, unsigned);
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *, void *, unsigned);
CUresult CUDAAPI cuMemHostGetFlags(unsigned *, void *);
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
CUresult CUDAAPI cuDeviceRegisterAsyncNotification(CUdevice, CUasyncCallback, void *,
    CUasyncCallbackHandle *);
CUresult CUDAAPI cuDeviceUnregisterAsyncNotification(CUdevice, CUasyncCallbackHandle);
CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice *, const char *);
CUresult CUDAAPI cuDeviceGetPCIBusId(char *, int, CUdevice);
CUresult CUDAAPI cuIpcGetEventHandle(CUipcEventHandle *, CUevent);
CUresult CUDAAPI cuIpcOpenEventHandle(CUevent *, CUipcEventHandle);
CUresult CUDAAPI cuIpcGetMemHandle(CUipcMemHandle *, CUdeviceptr);
CUresult CUDAAPI cuIpcOpenMemHandle(CUdeviceptr *, CUipcMemHandle, unsigned);
CUresult CUDAAPI cuIpcCloseMemHandle(CUdeviceptr);
CUresult CUDAAPI cuMemHostRegister(void *, size_t, unsigned);
CUresult CUDAAPI cuMemHostUnregister(void *);
CUresult CUDAAPI cuMemcpy(CUdeviceptr, CUdeviceptr, size_t);
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr, const void *, size_t);
CUresult CUDAAPI cuMemcpyDtoH(void *, CUdeviceptr, size_t);
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr, CUdeviceptr, size_t);
CUresult CUDAAPI cuMemcpyDtoA(CUarray, size_t, CUdeviceptr, size_t);
CUresult CUDAAPI cuMemcpyAtoD(CUdeviceptr, CUarray, size_t, size_t);
CUresult CUDAAPI cuMemcpyHtoA(CUarray, size_t, const void *, size_t);
CUresult CUDAAPI cuMemcpyAtoH(void *, CUarray, size_t, size_t);
CUresult CUDAAPI cuMemcpyAtoA(CUarray, size_t, CUarray, size_t, size_t);
CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D *);
CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *);
CUresult CUDAAPI cuMemcpy3D(const CUDA_MEMCPY3D *);
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *);
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t,
    CUstream);
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr, const void *, size_t, CUstream);
CUresult CUDAAPI cuMemcpyDtoHAsync(void *, CUdeviceptr, size_t, CUstream);
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult CUDAAPI cuMemcpyHtoAAsync(CUarray, size_t, const void *, size_t, CUstream);
CUresult CUDAAPI cuMemcpyAtoHAsync(void *, CUarray, size_t, size_t, CUstream);
CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D *, CUstream);
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D *, CUstream);
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *, CUstream);
CUresult CUDAAPI cuMemcpyBatchAsync(CUdeviceptr *, CUdeviceptr *, size_t *, size_t,
    CUmemcpyAttributes *, size_t *, size_t, size_t *, CUstream);
CUresult CUDAAPI cuMemcpy3DBatchAsync(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *,
    unsigned long long, CUstream);
CUresult CUDAAPI cuMemsetD8(CUdeviceptr, unsigned char, size_t);
CUresult CUDAAPI cuMemsetD16(CUdeviceptr, unsigned short, size_t);
CUresult CUDAAPI cuMemsetD32(CUdeviceptr, unsigned, size_t);
CUresult CUDAAPI cuMemsetD2D8(CUdeviceptr, size_t, unsigned char, size_t, size_t);
CUresult CUDAAPI cuMemsetD2D16(CUdeviceptr, size_t, unsigned short, size_t, size_t);
CUresult CUDAAPI cuMemsetD2D32(CUdeviceptr, size_t, unsigned, size_t, size_t);
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream);
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr, unsigned short, size_t, CUstream);
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr, unsigned, size_t, CUstream);
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream);
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr, size_t, unsigned, size_t, size_t, CUstream);
CUresult CUDAAPI cuArrayCreate(CUarray *, const CUDA_ARRAY_DESCRIPTOR *);
CUresult CUDAAPI cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *, CUarray);
CUresult CUDAAPI cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *, CUarray);
CUresult CUDAAPI cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *,
    CUmipmappedArray);
CUresult CUDAAPI cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *, CUarray, CUdevice);
CUresult CUDAAPI cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *,
    CUmipmappedArray, CUdevice);
CUresult CUDAAPI cuArrayGetPlane(CUarray *, CUarray, unsigned);
CUresult CUDAAPI cuArrayDestroy(CUarray);
CUresult CUDAAPI cuArray3DCreate(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *);
CUresult CUDAAPI cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *, CUarray);
CUresult CUDAAPI cuMipmappedArrayCreate(CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *,
    unsigned);
CUresult CUDAAPI cuMipmappedArrayGetLevel(CUarray *, CUmipmappedArray, unsigned);
CUresult CUDAAPI cuMipmappedArrayDestroy(CUmipmappedArray);
CUresult CUDAAPI cuMemGetHandleForAddressRange(void *, CUdeviceptr, size_t, CUmemRangeHandleType,
    unsigned long long);
CUresult CUDAAPI cuMemBatchDecompressAsync(CUmemDecompressParams *, size_t, unsigned, size_t *,
    CUstream);

// Virtual Memory Management.
CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr,
    unsigned long long);
CUresult CUDAAPI cuMemAddressFree(CUdeviceptr, size_t);
CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
    unsigned long long);
CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle);
CUresult CUDAAPI cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
    unsigned long long);
CUresult CUDAAPI cuMemMapArrayAsync(CUarrayMapInfo *, unsigned, CUstream);
CUresult CUDAAPI cuMemUnmap(CUdeviceptr, size_t);
CUresult CUDAAPI cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
CUresult CUDAAPI cuMemGetAccess(unsigned long long *, const CUmemLocation *, CUdeviceptr);
CUresult CUDAAPI cuMemExportToShareableHandle(void *, CUmemGenericAllocationHandle,
    CUmemAllocationHandleType, unsigned long long);
CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *, void *,
    CUmemAllocationHandleType);
CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *, const CUmemAllocationProp *,
    CUmemAllocationGranularity_flags);
CUresult CUDAAPI cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *,
    CUmemGenericAllocationHandle);
CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *, void *);

// Stream Ordered Memory Allocator.
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *, size_t, CUstream);
CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool, size_t);
CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void *);
CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, void *);
CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc *, size_t);
CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags *, CUmemoryPool, CUmemLocation *);
CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *, const CUmemPoolProps *);
CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool);
CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *, size_t, CUmemoryPool, CUstream);
CUresult CUDAAPI cuMemPoolExportToShareableHandle(void *, CUmemoryPool, CUmemAllocationHandleType,
    unsigned long long);
CUresult CUDAAPI cuMemPoolImportFromShareableHandle(CUmemoryPool *, void *,
    CUmemAllocationHandleType, unsigned long long);
CUresult CUDAAPI cuMemPoolExportPointer(CUmemPoolPtrExportData *, CUdeviceptr);
CUresult CUDAAPI cuMemPoolImportPointer(CUdeviceptr *, CUmemoryPool, CUmemPoolPtrExportData *);

// Multicast Object Management.
CUresult CUDAAPI cuMulticastCreate(CUmemGenericAllocationHandle *, const CUmulticastObjectProp *);
CUresult CUDAAPI cuMulticastAddDevice(CUmemGenericAllocationHandle, CUdevice);
CUresult CUDAAPI cuMulticastBindMem(CUmemGenericAllocationHandle, size_t,
    CUmemGenericAllocationHandle, size_t, size_t, unsigned long long);
CUresult CUDAAPI cuMulticastBindAddr(CUmemGenericAllocationHandle, size_t, CUdeviceptr, size_t,
    unsigned long long);
CUresult CUDAAPI cuMulticastUnbind(CUmemGenericAllocationHandle, CUdevice, size_t, size_t);
CUresult CUDAAPI cuMulticastGetGranularity(size_t *, const CUmulticastObjectProp *,
    CUmulticastGranularity_flags);

// Unified Addressing.
CUresult CUDAAPI cuPointerGetAttribute(void *, CUpointer_attribute, CUdeviceptr);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult CUDAAPI cuMemPrefetchAsync_v2(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult CUDAAPI cuMemAdvise_v2(CUdeviceptr, size_t, CUmem_advise, CUmemLocation);
CUresult CUDAAPI cuMemRangeGetAttribute(void *, size_t, CUmem_range_attribute, CUdeviceptr, size_t);
CUresult CUDAAPI cuMemRangeGetAttributes(void **, size_t *, CUmem_range_attribute *, size_t,
    CUdeviceptr, size_t);
CUresult CUDAAPI cuPointerSetAttribute(const void *, CUpointer_attribute, CUdeviceptr);
CUresult CUDAAPI cuPointerGetAttributes(unsigned, CUpointer_attribute *, void **, CUdeviceptr);
__warpsim_end_c
