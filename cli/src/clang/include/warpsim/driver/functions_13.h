// Functions that the driver of CUDA 13 adds (CUDA Driver API reference, version 13), by the
// names of their symbols. What the library lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#pragma once
#include "../c.h"

__warpsim_begin_c
CUresult CUDAAPI cuDeviceGetHostAtomicCapabilities(unsigned *, const CUatomicOperation *, unsigned,
    CUdevice);
CUresult CUDAAPI cuCtxGetDevice_v2(CUdevice *, CUcontext);
CUresult CUDAAPI cuCtxSynchronize_v2(CUcontext);
CUresult CUDAAPI cuKernelGetParamCount(CUkernel, size_t *);
CUresult CUDAAPI cuMemcpyBatchAsync_v2(CUdeviceptr *, CUdeviceptr *, size_t *, size_t,
    CUmemcpyAttributes *, size_t *, size_t, CUstream);
CUresult CUDAAPI cuMemcpy3DBatchAsync_v2(size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long,
    CUstream);
CUresult CUDAAPI cuMemcpyWithAttributesAsync(CUdeviceptr, CUdeviceptr, size_t, CUmemcpyAttributes *,
    CUstream);
CUresult CUDAAPI cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *, unsigned long long,
    CUstream);
CUresult CUDAAPI cuMemGetDefaultMemPool(CUmemoryPool *, CUmemLocation *, CUmemAllocationType);
CUresult CUDAAPI cuMemGetMemPool(CUmemoryPool *, CUmemLocation *, CUmemAllocationType);
CUresult CUDAAPI cuMemSetMemPool(CUmemLocation *, CUmemAllocationType, CUmemoryPool);
CUresult CUDAAPI cuMulticastBindMem_v2(CUmemGenericAllocationHandle, CUdevice, size_t,
    CUmemGenericAllocationHandle, size_t, size_t, unsigned long long);
CUresult CUDAAPI cuMulticastBindAddr_v2(CUmemGenericAllocationHandle, CUdevice, size_t, CUdeviceptr,
    size_t, unsigned long long);
CUresult CUDAAPI cuDeviceGetFabricClusterUuid(CUuuid *, CUdevice);
CUresult CUDAAPI cuDeviceGetCliqueCount(size_t *, CUdevice);
CUresult CUDAAPI cuDeviceGetCliqueInfo(CUcliqueInfo *, size_t *, CUdevice);
CUresult CUDAAPI cuLogicalEndpointIdReserve(CUlogicalEndpointId *, cuuint32_t);
CUresult CUDAAPI cuLogicalEndpointIdRelease(CUlogicalEndpointId, cuuint32_t);
CUresult CUDAAPI cuLogicalEndpointCreate(CUlogicalEndpointId, const CUlogicalEndpointProp *);
CUresult CUDAAPI cuLogicalEndpointAddDevice(CUlogicalEndpointId, CUdevice);
CUresult CUDAAPI cuLogicalEndpointDestroy(CUlogicalEndpointId);
CUresult CUDAAPI cuLogicalEndpointBindAddr(CUlogicalEndpointId, CUdevice, cuuint64_t, void *,
    cuuint64_t, unsigned long long);
CUresult CUDAAPI cuLogicalEndpointBindMem(CUlogicalEndpointId, CUdevice, cuuint64_t,
    CUmemGenericAllocationHandle, cuuint64_t, cuuint64_t, unsigned long long);
CUresult CUDAAPI cuLogicalEndpointUnbind(CUlogicalEndpointId, CUdevice, cuuint64_t, cuuint64_t);
CUresult CUDAAPI cuLogicalEndpointExport(void *, CUlogicalEndpointId,
    CUlogicalEndpointIpcHandleType);
CUresult CUDAAPI cuLogicalEndpointImport(CUlogicalEndpointId, const void *,
    CUlogicalEndpointIpcHandleType);
CUresult CUDAAPI cuLogicalEndpointGetLimits(cuuint64_t *, cuuint64_t *,
    const CUlogicalEndpointProp *);
CUresult CUDAAPI cuLogicalEndpointQuery(CUlogicalEndpointId, cuuint32_t, int *);
CUresult CUDAAPI cuFabricCpyBatchAsync(size_t, CUDA_FABRIC_COPY_BATCH_OP *, unsigned long long,
    CUstream);
CUresult CUDAAPI cuMemPrefetchBatchAsync(CUdeviceptr *, size_t *, size_t, CUmemLocation *, size_t *,
    size_t, unsigned long long, CUstream);
CUresult CUDAAPI cuMemDiscardBatchAsync(CUdeviceptr *, size_t *, size_t, unsigned long long,
    CUstream);
CUresult CUDAAPI cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *, size_t *, size_t, CUmemLocation *,
    size_t *, size_t, unsigned long long, CUstream);
CUresult CUDAAPI cuMemGetLocationInfo(CUdeviceptr, size_t, size_t, size_t, CUmemLocation *);
CUresult CUDAAPI cuStreamBeginCaptureToCig(CUstream, CUstreamCigCaptureParams *);
CUresult CUDAAPI cuStreamEndCaptureToCig(CUstream);
CUresult CUDAAPI cuStreamBeginRecaptureToGraph(CUstream, CUstreamCaptureMode, CUgraph,
    CUgraphRecaptureCallback, void *);
CUresult CUDAAPI cuFuncGetParamCount(CUfunction, size_t *);
CUresult CUDAAPI cuLaunchHostFunc_v2(CUstream, CUhostFn, void *, unsigned);
CUresult CUDAAPI cuGraphNodeGetContainingGraph(CUgraphNode, CUgraph *);
CUresult CUDAAPI cuGraphNodeGetLocalId(CUgraphNode, unsigned *);
CUresult CUDAAPI cuGraphNodeGetToolsId(CUgraphNode, unsigned long long *);
CUresult CUDAAPI cuGraphGetId(CUgraph, unsigned *);
CUresult CUDAAPI cuGraphExecGetId(CUgraphExec, unsigned *);
CUresult CUDAAPI cuGraphAddNode_v3(CUgraphNode *, CUgraph, const CUgraphNode *,
    const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
CUresult CUDAAPI cuGraphNodeSetParams_v2(CUgraphNode, CUgraphNodeParams *);
CUresult CUDAAPI cuGraphNodeGetParams(CUgraphNode, CUgraphNodeParams *);
CUresult CUDAAPI cuTensorMapSetAllocationClass(CUtensorMap *, CUtensorMapAllocClass,
    CUtensorMapAllocClass *);
CUresult CUDAAPI cuDeviceGetP2PAtomicCapabilities(unsigned *, const CUatomicOperation *, unsigned,
    CUdevice, CUdevice);
CUresult CUDAAPI cuCoredumpRegisterStartCallback(CUcoredumpStatusCallback, void *,
    CUcoredumpCallbackHandle *);
CUresult CUDAAPI cuCoredumpRegisterCompleteCallback(CUcoredumpStatusCallback, void *,
    CUcoredumpCallbackHandle *);
CUresult CUDAAPI cuCoredumpDeregisterStartCallback(CUcoredumpCallbackHandle);
CUresult CUDAAPI cuCoredumpDeregisterCompleteCallback(CUcoredumpCallbackHandle);
CUresult CUDAAPI cuDevSmResourceSplit(CUdevResource *, unsigned, const CUdevResource *,
    CUdevResource *, unsigned, CU_DEV_SM_RESOURCE_GROUP_PARAMS *);
CUresult CUDAAPI cuGreenCtxGetId(CUgreenCtx, unsigned long long *);
CUresult CUDAAPI cuStreamGetDevResource(CUstream, CUdevResource *, CUdevResourceType);
CUresult CUDAAPI cuCheckpointOperationComplete(CUcheckpointOperationHandle);
__warpsim_end_c
