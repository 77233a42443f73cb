// Parameters of nodes, graphs, attributes of launches, notifications (CUDA Runtime API
// reference, version 12.9, "Data types used by CUDA Runtime").
#pragma once
enum cudaCGScope {
    cudaCGScopeInvalid = 0, cudaCGScopeGrid, cudaCGScopeMultiGrid, cudaCGScopeReserved = 2
};
struct cudaLaunchParams {
    void *func;
    dim3 gridDim, blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaKernelNodeParamsV2 {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaExternalSemaphoreSignalNodeParams {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreSignalParams *paramsArray;
    unsigned numExtSems;
};
struct cudaExternalSemaphoreSignalNodeParamsV2 {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreSignalParams *paramsArray;
    unsigned numExtSems;
};
struct cudaExternalSemaphoreWaitNodeParams {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreWaitParams *paramsArray;
    unsigned numExtSems;
};
struct cudaExternalSemaphoreWaitNodeParamsV2 {
    cudaExternalSemaphore_t *extSemArray;
    const struct cudaExternalSemaphoreWaitParams *paramsArray;
    unsigned numExtSems;
};
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf = 0, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch
};
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t *phGraph_out;
};
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeExtSemaphoreSignal,
    cudaGraphNodeTypeExtSemaphoreWait, cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree,
    cudaGraphNodeTypeConditional = 13, cudaGraphNodeTypeCount, cudaGraphNodeTypeMemcpyBatch = 14,
    cudaGraphNodeTypeReserved16 = 16, cudaGraphNodeTypeExternalEngine
};
enum cudaGraphChildGraphNodeOwnership {
    cudaGraphChildGraphOwnershipClone = 0, cudaGraphChildGraphOwnershipMove,
    cudaGraphChildGraphOwnershipInvalid = -1
};
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
    enum cudaGraphChildGraphNodeOwnership ownership;
};
struct cudaEventRecordNodeParams { cudaEvent_t event; };
struct cudaEventWaitNodeParams { cudaEvent_t event; };
struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParamsV2 kernel;
        struct cudaMemcpyNodeParams memcpy;
        struct cudaMemsetParamsV2 memset;
        struct cudaHostNodeParamsV2 host;
        struct cudaChildGraphNodeParams graph;
        struct cudaEventWaitNodeParams eventWait;
        struct cudaEventRecordNodeParams eventRecord;
        struct cudaExternalSemaphoreSignalNodeParamsV2 extSemSignal;
        struct cudaExternalSemaphoreWaitNodeParamsV2 extSemWait;
        struct cudaMemAllocNodeParamsV2 alloc;
        struct cudaMemFreeNodeParams free;
        struct cudaConditionalNodeParams conditional;
    };
    long long reserved2;
};
typedef enum cudaGraphDependencyType_enum {
    cudaGraphDependencyTypeDefault = 0, cudaGraphDependencyTypeProgrammatic
} cudaGraphDependencyType;
typedef struct cudaGraphEdgeData_st {
    unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;
typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0, cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged, cudaGraphExecUpdateErrorNodeTypeChanged,
    cudaGraphExecUpdateErrorFunctionChanged, cudaGraphExecUpdateErrorParametersChanged,
    cudaGraphExecUpdateErrorNotSupported, cudaGraphExecUpdateErrorUnsupportedFunctionChange,
    cudaGraphExecUpdateErrorAttributesChanged
};
typedef enum cudaGraphInstantiateResult {
    cudaGraphInstantiateSuccess = 0, cudaGraphInstantiateError,
    cudaGraphInstantiateInvalidStructure, cudaGraphInstantiateNodeOperationNotSupported,
    cudaGraphInstantiateMultipleDevicesNotSupported, cudaGraphInstantiateConditionalHandleUnused
} cudaGraphInstantiateResult;
typedef struct cudaGraphInstantiateParams_st {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    cudaGraphInstantiateResult result_out;
} cudaGraphInstantiateParams;
typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
typedef struct CUgraphDeviceUpdatableNode_st *cudaGraphDeviceNode_t;
enum cudaGraphKernelNodeField {
    cudaGraphKernelNodeFieldInvalid = 0, cudaGraphKernelNodeFieldGridDim,
    cudaGraphKernelNodeFieldParam, cudaGraphKernelNodeFieldEnabled
};
struct cudaGraphKernelNodeUpdate {
    cudaGraphDeviceNode_t node;
    enum cudaGraphKernelNodeField field;
    union {
        dim3 gridDim;
        struct { const void *pValue; size_t offset, size; } param;
        unsigned isEnabled;
    } updateData;
};
enum cudaGetDriverEntryPointFlags {
    cudaEnableDefault = 0, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream
};
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound,
    cudaDriverEntryPointVersionNotSufficent
};
enum cudaGraphDebugDotFlags {
    cudaGraphDebugDotFlagsVerbose = 1, cudaGraphDebugDotFlagsKernelNodeParams = 4,
    cudaGraphDebugDotFlagsMemcpyNodeParams = 8, cudaGraphDebugDotFlagsMemsetNodeParams = 16,
    cudaGraphDebugDotFlagsHostNodeParams = 32, cudaGraphDebugDotFlagsEventNodeParams = 64,
    cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128,
    cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256,
    cudaGraphDebugDotFlagsKernelNodeAttributes = 512, cudaGraphDebugDotFlagsHandles = 0x400,
    cudaGraphDebugDotFlagsConditionalNodeParams = 0x8000,
    cudaGraphDebugDotFlagsMemcpyBatchNodeParams = 0x10000
};
enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload,
    cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8
};
typedef enum cudaLaunchMemSyncDomain {
    cudaLaunchMemSyncDomainDefault = 0, cudaLaunchMemSyncDomainRemote
} cudaLaunchMemSyncDomain;
typedef struct cudaLaunchMemSyncDomainMap_st { unsigned char default_,
    remote; } cudaLaunchMemSyncDomainMap;
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeAccessPolicyWindow,
    cudaLaunchAttributeCooperative, cudaLaunchAttributeSynchronizationPolicy,
    cudaLaunchAttributeClusterDimension, cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributeProgrammaticStreamSerialization, cudaLaunchAttributeProgrammaticEvent,
    cudaLaunchAttributePriority, cudaLaunchAttributeMemSyncDomainMap,
    cudaLaunchAttributeMemSyncDomain, cudaLaunchAttributePreferredClusterDimension,
    cudaLaunchAttributeLaunchCompletionEvent, cudaLaunchAttributeDeviceUpdatableKernelNode,
    cudaLaunchAttributePreferredSharedMemoryCarveout,
    cudaLaunchAttributeNvlinkUtilCentricScheduling = 16,
    cudaLaunchAttributePortableClusterSizeMode, cudaLaunchAttributeSharedMemoryMode
} cudaLaunchAttributeID;
typedef union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    enum cudaSynchronizationPolicy syncPolicy;
    struct { unsigned x, y, z; } clusterDim;
    enum cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
    struct { cudaEvent_t event; int flags, triggerAtBlockStart; } programmaticEvent;
    int priority;
    cudaLaunchMemSyncDomainMap memSyncDomainMap;
    cudaLaunchMemSyncDomain memSyncDomain;
    struct { unsigned x, y, z; } preferredClusterDim;
    struct { cudaEvent_t event; int flags; } launchCompletionEvent;
    struct { int deviceUpdatable; cudaGraphDeviceNode_t devNode; } deviceUpdatableKernelNode;
    unsigned sharedMemCarveout;
} cudaLaunchAttributeValue;
typedef struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    char pad[4];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;
typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;
enum cudaDeviceNumaConfig {
    cudaDeviceNumaConfigNone = 0, cudaDeviceNumaConfigNumaNode
};
typedef struct cudaAsyncCallbackEntry *cudaAsyncCallbackHandle_t;
typedef enum cudaAsyncNotificationType_enum {
    cudaAsyncNotificationTypeOverBudget = 1
} cudaAsyncNotificationType;
typedef struct cudaAsyncNotificationInfo {
    cudaAsyncNotificationType type;
    union { struct { unsigned long long bytesOverBudget; } overBudget; } info;
} cudaAsyncNotificationInfo_t;
typedef void (CUDART_CB *cudaAsyncCallback)(cudaAsyncNotificationInfo_t *, void *,
    cudaAsyncCallbackHandle_t);
typedef void (CUDART_CB *cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
