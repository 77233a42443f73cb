// Devices and contexts (CUDA Driver API reference, version 12.9, the chapters named below).
// What the library lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Error Handling.
CUresult CUDAAPI cuGetErrorString(CUresult, const char **);
CUresult CUDAAPI cuGetErrorName(CUresult, const char **);

// Initialization.
CUresult CUDAAPI cuInit(unsigned);

// Version Management.
CUresult CUDAAPI cuDriverGetVersion(int *);

// Device Management.
CUresult CUDAAPI cuDeviceGet(CUdevice *, int);
CUresult CUDAAPI cuDeviceGetCount(int *);
CUresult CUDAAPI cuDeviceGetName(char *, int, CUdevice);
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *, CUdevice);
CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid *, CUdevice);
CUresult CUDAAPI cuDeviceGetLuid(char *, unsigned *, CUdevice);
CUresult CUDAAPI cuDeviceTotalMem(size_t *, CUdevice);
CUresult CUDAAPI cuDeviceGetTexture1DLinearMaxWidth(size_t *, CUarray_format, unsigned, CUdevice);
CUresult CUDAAPI cuDeviceGetAttribute(int *, CUdevice_attribute, CUdevice);
CUresult CUDAAPI cuDeviceGetNvSciSyncAttributes(void *, CUdevice, int);
CUresult CUDAAPI cuDeviceSetMemPool(CUdevice, CUmemoryPool);
CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *, CUdevice);
CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *, CUdevice);
CUresult CUDAAPI cuDeviceGetExecAffinitySupport(int *, CUexecAffinityType, CUdevice);
CUresult CUDAAPI cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget,
    CUflushGPUDirectRDMAWritesScope);

// Device Management [DEPRECATED].
__warpsim_deprecated CUresult CUDAAPI cuDeviceGetProperties(CUdevprop *, CUdevice);
__warpsim_deprecated CUresult CUDAAPI cuDeviceComputeCapability(int *, int *, CUdevice);

// Primary Context Management.
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *, CUdevice);
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice);
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice, unsigned);
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice, unsigned *, int *);
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice);

// Context Management.
CUresult CUDAAPI cuCtxCreate(CUcontext *, unsigned, CUdevice);
CUresult CUDAAPI cuCtxCreate_v3(CUcontext *, CUexecAffinityParam *, int, unsigned, CUdevice);
CUresult CUDAAPI cuCtxCreate_v4(CUcontext *, CUctxCreateParams *, unsigned, CUdevice);
CUresult CUDAAPI cuCtxDestroy(CUcontext);
CUresult CUDAAPI cuCtxPushCurrent(CUcontext);
CUresult CUDAAPI cuCtxPopCurrent(CUcontext *);
CUresult CUDAAPI cuCtxSetCurrent(CUcontext);
CUresult CUDAAPI cuCtxGetCurrent(CUcontext *);
CUresult CUDAAPI cuCtxGetDevice(CUdevice *);
CUresult CUDAAPI cuCtxGetFlags(unsigned *);
CUresult CUDAAPI cuCtxSetFlags(unsigned);
CUresult CUDAAPI cuCtxGetId(CUcontext, unsigned long long *);
CUresult CUDAAPI cuCtxSynchronize(void);
CUresult CUDAAPI cuCtxSetLimit(CUlimit, size_t);
CUresult CUDAAPI cuCtxGetLimit(size_t *, CUlimit);
CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *);
CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache);
CUresult CUDAAPI cuCtxGetApiVersion(CUcontext, unsigned *);
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *, int *);
CUresult CUDAAPI cuCtxResetPersistingL2Cache(void);
CUresult CUDAAPI cuCtxGetExecAffinity(CUexecAffinityParam *, CUexecAffinityType);
CUresult CUDAAPI cuCtxRecordEvent(CUcontext, CUevent);
CUresult CUDAAPI cuCtxWaitEvent(CUcontext, CUevent);

// Context Management [DEPRECATED].
__warpsim_deprecated CUresult CUDAAPI cuCtxAttach(CUcontext *, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuCtxDetach(CUcontext);
__warpsim_deprecated CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig *);
__warpsim_deprecated CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig);

// Green Contexts.
CUresult CUDAAPI cuGreenCtxCreate(CUgreenCtx *, CUdevResourceDesc, CUdevice, unsigned);
CUresult CUDAAPI cuGreenCtxDestroy(CUgreenCtx);
CUresult CUDAAPI cuCtxFromGreenCtx(CUcontext *, CUgreenCtx);
CUresult CUDAAPI cuDeviceGetDevResource(CUdevice, CUdevResource *, CUdevResourceType);
CUresult CUDAAPI cuCtxGetDevResource(CUcontext, CUdevResource *, CUdevResourceType);
CUresult CUDAAPI cuGreenCtxGetDevResource(CUgreenCtx, CUdevResource *, CUdevResourceType);
CUresult CUDAAPI cuDevSmResourceSplitByCount(CUdevResource *, unsigned *, const CUdevResource *,
    CUdevResource *, unsigned, unsigned);
CUresult CUDAAPI cuDevResourceGenerateDesc(CUdevResourceDesc *, CUdevResource *, unsigned);
CUresult CUDAAPI cuGreenCtxRecordEvent(CUgreenCtx, CUevent);
CUresult CUDAAPI cuGreenCtxWaitEvent(CUgreenCtx, CUevent);
CUresult CUDAAPI cuStreamGetGreenCtx(CUstream, CUgreenCtx *);
CUresult CUDAAPI cuGreenCtxStreamCreate(CUstream *, CUgreenCtx, unsigned, int);

// Peer Context Memory Access.
CUresult CUDAAPI cuDeviceCanAccessPeer(int *, CUdevice, CUdevice);
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext, unsigned);
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext);
CUresult CUDAAPI cuDeviceGetP2PAttribute(int *, CUdevice_P2PAttribute, CUdevice, CUdevice);
__warpsim_end_c
