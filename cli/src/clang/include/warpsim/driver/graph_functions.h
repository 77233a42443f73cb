// Graphs (CUDA Driver API reference, version 12.9, the chapters named below). What the library
// lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Graph Management.
CUresult CUDAAPI cuGraphCreate(CUgraph *, unsigned);
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    const CUDA_KERNEL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphKernelNodeSetParams(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    const CUDA_MEMCPY3D *, CUcontext);
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode, CUDA_MEMCPY3D *);
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode, const CUDA_MEMCPY3D *);
CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode, CUDA_MEMSET_NODE_PARAMS *);
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *);
CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    const CUDA_HOST_NODE_PARAMS *);
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode, CUDA_HOST_NODE_PARAMS *);
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode, const CUDA_HOST_NODE_PARAMS *);
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    CUgraph);
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode, CUgraph *);
CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t);
CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    CUevent);
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode, CUevent *);
CUresult CUDAAPI cuGraphEventRecordNodeSetEvent(CUgraphNode, CUevent);
CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    CUevent);
CUresult CUDAAPI cuGraphEventWaitNodeGetEvent(CUgraphNode, CUevent *);
CUresult CUDAAPI cuGraphEventWaitNodeSetEvent(CUgraphNode, CUevent);
CUresult CUDAAPI cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *, CUgraph, const CUgraphNode *,
    size_t, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode,
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode,
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *, CUgraph, const CUgraphNode *,
    size_t, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode,
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *);
CUresult CUDAAPI cuGraphAddBatchMemOpNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
CUresult CUDAAPI cuGraphBatchMemOpNodeGetParams(CUgraphNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *);
CUresult CUDAAPI cuGraphBatchMemOpNodeSetParams(CUgraphNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExecBatchMemOpNodeSetParams(CUgraphExec, CUgraphNode,
    const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
CUresult CUDAAPI cuGraphAddMemAllocNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    CUDA_MEM_ALLOC_NODE_PARAMS *);
CUresult CUDAAPI cuGraphMemAllocNodeGetParams(CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS *);
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    CUdeviceptr);
CUresult CUDAAPI cuGraphMemFreeNodeGetParams(CUgraphNode, CUdeviceptr *);
CUresult CUDAAPI cuDeviceGraphMemTrim(CUdevice);
CUresult CUDAAPI cuDeviceGetGraphMemAttribute(CUdevice, CUgraphMem_attribute, void *);
CUresult CUDAAPI cuDeviceSetGraphMemAttribute(CUdevice, CUgraphMem_attribute, void *);
CUresult CUDAAPI cuGraphClone(CUgraph *, CUgraph);
CUresult CUDAAPI cuGraphNodeFindInClone(CUgraphNode *, CUgraphNode, CUgraph);
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode, CUgraphNodeType *);
CUresult CUDAAPI cuGraphGetNodes(CUgraph, CUgraphNode *, size_t *);
CUresult CUDAAPI cuGraphGetRootNodes(CUgraph, CUgraphNode *, size_t *);
CUresult CUDAAPI cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
CUresult CUDAAPI cuGraphGetEdges_v2(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *,
    size_t *);
CUresult CUDAAPI cuGraphNodeGetDependencies(CUgraphNode, CUgraphNode *, size_t *);
CUresult CUDAAPI cuGraphNodeGetDependencies_v2(CUgraphNode, CUgraphNode *, CUgraphEdgeData *,
    size_t *);
CUresult CUDAAPI cuGraphNodeGetDependentNodes(CUgraphNode, CUgraphNode *, size_t *);
CUresult CUDAAPI cuGraphNodeGetDependentNodes_v2(CUgraphNode, CUgraphNode *, CUgraphEdgeData *,
    size_t *);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult CUDAAPI cuGraphAddDependencies_v2(CUgraph, const CUgraphNode *, const CUgraphNode *,
    const CUgraphEdgeData *, size_t);
CUresult CUDAAPI cuGraphRemoveDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *,
    size_t);
CUresult CUDAAPI cuGraphRemoveDependencies_v2(CUgraph, const CUgraphNode *, const CUgraphNode *,
    const CUgraphEdgeData *, size_t);
CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode);
CUresult CUDAAPI cuGraphInstantiate(CUgraphExec *, CUgraph, unsigned long long);
CUresult CUDAAPI cuGraphInstantiateWithParams(CUgraphExec *, CUgraph,
    CUDA_GRAPH_INSTANTIATE_PARAMS *);
CUresult CUDAAPI cuGraphExecGetFlags(CUgraphExec, cuuint64_t *);
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec, CUgraphNode,
    const CUDA_KERNEL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec, CUgraphNode, const CUDA_MEMCPY3D *,
    CUcontext);
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec, CUgraphNode,
    const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec, CUgraphNode,
    const CUDA_HOST_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExecChildGraphNodeSetParams(CUgraphExec, CUgraphNode, CUgraph);
CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec, CUgraphNode, CUevent);
CUresult CUDAAPI cuGraphExecEventWaitNodeSetEvent(CUgraphExec, CUgraphNode, CUevent);
CUresult CUDAAPI cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec, CUgraphNode,
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *);
CUresult CUDAAPI cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec, CUgraphNode,
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *);
CUresult CUDAAPI cuGraphNodeSetEnabled(CUgraphExec, CUgraphNode, unsigned);
CUresult CUDAAPI cuGraphNodeGetEnabled(CUgraphExec, CUgraphNode, unsigned *);
CUresult CUDAAPI cuGraphUpload(CUgraphExec, CUstream);
CUresult CUDAAPI cuGraphLaunch(CUgraphExec, CUstream);
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec);
CUresult CUDAAPI cuGraphDestroy(CUgraph);
CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *);
CUresult CUDAAPI cuGraphKernelNodeCopyAttributes(CUgraphNode, CUgraphNode);
CUresult CUDAAPI cuGraphKernelNodeGetAttribute(CUgraphNode, CUkernelNodeAttrID,
    CUkernelNodeAttrValue *);
CUresult CUDAAPI cuGraphKernelNodeSetAttribute(CUgraphNode, CUkernelNodeAttrID,
    const CUkernelNodeAttrValue *);
CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph, const char *, unsigned);
CUresult CUDAAPI cuUserObjectCreate(CUuserObject *, void *, CUhostFn, unsigned, unsigned);
CUresult CUDAAPI cuUserObjectRetain(CUuserObject, unsigned);
CUresult CUDAAPI cuUserObjectRelease(CUuserObject, unsigned);
CUresult CUDAAPI cuGraphRetainUserObject(CUgraph, CUuserObject, unsigned, unsigned);
CUresult CUDAAPI cuGraphReleaseUserObject(CUgraph, CUuserObject, unsigned);
CUresult CUDAAPI cuGraphAddNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
    CUgraphNodeParams *);
CUresult CUDAAPI cuGraphAddNode_v2(CUgraphNode *, CUgraph, const CUgraphNode *,
    const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
CUresult CUDAAPI cuGraphNodeSetParams(CUgraphNode, CUgraphNodeParams *);
CUresult CUDAAPI cuGraphExecNodeSetParams(CUgraphExec, CUgraphNode, CUgraphNodeParams *);
CUresult CUDAAPI cuGraphConditionalHandleCreate(CUgraphConditionalHandle *, CUgraph, CUcontext,
    unsigned, unsigned);
__warpsim_end_c
