// Types that the runtime of CUDA 13 adds (CUDA Runtime API reference, version 13).
#pragma once
typedef struct CUdevResourceDesc_st *cudaDevResourceDesc_t;
typedef struct cudaExecutionContext_st *cudaExecutionContext_t;
enum cudaGraphRecaptureStatus {
    cudaGraphRecaptureEligibleForUpdate = 0, cudaGraphRecaptureIneligibleForUpdate,
    cudaGraphRecaptureError
};
enum cudaHostTaskSyncMode {
    cudaHostTaskBlocking = 0, cudaHostTaskSpinWait
};
typedef enum cudaSharedMemoryMode {
    cudaSharedMemoryModeDefault = 0, cudaSharedMemoryModeRequirePortable,
    cudaSharedMemoryModeAllowNonPortable, cudaSharedMemoryModeAllowOversizedSharedMemory,
    cudaSharedMemoryModePreferOversizedSharedMemory
} cudaSharedMemoryMode;
enum cudaAtomicOperation {
    cudaAtomicOperationIntegerAdd = 0, cudaAtomicOperationIntegerMin,
    cudaAtomicOperationIntegerMax, cudaAtomicOperationIntegerIncrement,
    cudaAtomicOperationIntegerDecrement, cudaAtomicOperationAnd, cudaAtomicOperationOr,
    cudaAtomicOperationXOR, cudaAtomicOperationExchange, cudaAtomicOperationCAS,
    cudaAtomicOperationFloatAdd, cudaAtomicOperationFloatMin, cudaAtomicOperationFloatMax
};
enum cudaAtomicOperationCapability {
    cudaAtomicCapabilitySigned = 1, cudaAtomicCapabilityUnsigned,
    cudaAtomicCapabilityReduction = 4, cudaAtomicCapabilityScalar32 = 8,
    cudaAtomicCapabilityScalar64 = 16, cudaAtomicCapabilityScalar128 = 32,
    cudaAtomicCapabilityVector32x4 = 64
};
enum cudaDevSmResourceGroup_flags {
    cudaDevSmResourceGroupDefault = 0, cudaDevSmResourceGroupBackfill,
    cudaDevSmResourceGroupLocalityDomainId, cudaDevSmResourceGroupLocalityDomainSupplementalSms = 4
};
enum cudaDevSmResourceSplitByCount_flags {
    cudaDevSmResourceSplitIgnoreSmCoscheduling = 1, cudaDevSmResourceSplitMaxPotentialClusterSize
};
enum cudaDevResourceType {
    cudaDevResourceTypeInvalid = 0, cudaDevResourceTypeSm,
    cudaDevResourceTypeWorkqueueConfig = 1000, cudaDevResourceTypeWorkqueue = 10000
};
struct cudaDevSmResource {
    unsigned smCount, minSmPartitionSize, smCoscheduledAlignment, flags, localityDomainId;
};
enum cudaDevWorkqueueConfigScope {
    cudaDevWorkqueueConfigScopeDeviceCtx = 0, cudaDevWorkqueueConfigScopeGreenCtxBalanced
};
struct cudaDevWorkqueueConfigResource {
    int device;
    unsigned wqConcurrencyLimit;
    enum cudaDevWorkqueueConfigScope sharingScope;
};
struct cudaDevWorkqueueResource { unsigned char reserved[40]; };
typedef struct cudaDevSmResourceGroupParams_st {
    unsigned smCount, coscheduledSmCount, preferredCoscheduledSmCount, flags, localityDomainId;
    unsigned reserved[11];
} cudaDevSmResourceGroupParams;
typedef struct cudaDevResource_st {
    enum cudaDevResourceType type;
    unsigned char _internal_padding[92];
    union {
        struct cudaDevSmResource sm;
        struct cudaDevWorkqueueConfigResource wqConfig;
        struct cudaDevWorkqueueResource wq;
        unsigned char _oversize[40];
    };
    struct cudaDevResource_st *nextResource;
} cudaDevResource;
enum cudaKernelFunctionType {
    cudaKernelFunctionTypeUnspecified = 0, cudaKernelFunctionTypeDeviceEntry,
    cudaKernelFunctionTypeKernel, cudaKernelFunctionTypeFunction
};
struct cudaMemcpyBatchNodeParams {
    size_t count;
    void **dsts, **srcs;
    size_t *sizes;
    struct cudaMemcpyAttributes *attrs;
    size_t *attrsIdxs, numAttrs;
    cudaExecutionContext_t ctx;
};
typedef enum cudaLaunchAttributePortableClusterMode {
    cudaLaunchPortableClusterModeDefault = 0, cudaLaunchPortableClusterModeRequirePortable,
    cudaLaunchPortableClusterModeAllowNonPortable
} cudaLaunchAttributePortableClusterMode;
typedef enum CUDAlogLevel_enum { cudaLogLevelError = 0, cudaLogLevelWarning } cudaLogLevel;
typedef struct CUlogsCallbackEntry_st *cudaLogsCallbackHandle;
typedef unsigned cudaLogIterator;
enum cudaFabricOpStatusSource {
    cudaFabricOpStatusSourceMbarrierV1 = 0, cudaFabricOpStatusSourceMax = 0x7fffffff
};
enum cudaFabricOpStatusInfo {
    cudaFabricOpStatusInfoSuccess = 0, cudaFabricOpStatusInfoLast = 0,
    cudaFabricOpStatusInfoMax = 0x7fffffff
};
typedef cudaError_t (CUDART_CB *cudaGraphRecaptureCallback_t)(void *, cudaGraphNode_t,
    const struct cudaGraphNodeParams *, const struct cudaGraphNodeParams *,
    enum cudaGraphRecaptureStatus);
struct cudaGraphRecaptureCallbackData {
    cudaGraphRecaptureCallback_t callbackFunc;
    void *userData;
};
typedef void (CUDART_CB *cudaLogsCallback_t)(void *, cudaLogLevel, char *, size_t);
