// Types that the driver of CUDA 13 adds (CUDA Driver API reference, version 13).
#pragma once
typedef enum CUhostTaskSyncMode_enum {
    CU_HOST_TASK_BLOCKING = 0, CU_HOST_TASK_SPINWAIT
} CUhostTaskSyncMode;
typedef enum CUatomicOperation_enum {
    CU_ATOMIC_OPERATION_INTEGER_ADD = 0, CU_ATOMIC_OPERATION_INTEGER_MIN,
    CU_ATOMIC_OPERATION_INTEGER_MAX, CU_ATOMIC_OPERATION_INTEGER_INCREMENT,
    CU_ATOMIC_OPERATION_INTEGER_DECREMENT, CU_ATOMIC_OPERATION_AND, CU_ATOMIC_OPERATION_OR,
    CU_ATOMIC_OPERATION_XOR, CU_ATOMIC_OPERATION_EXCHANGE, CU_ATOMIC_OPERATION_CAS,
    CU_ATOMIC_OPERATION_FLOAT_ADD, CU_ATOMIC_OPERATION_FLOAT_MIN, CU_ATOMIC_OPERATION_FLOAT_MAX,
    CU_ATOMIC_OPERATION_MAX
} CUatomicOperation;
typedef enum CUatomicOperationCapability_enum {
    CU_ATOMIC_CAPABILITY_SIGNED = 1, CU_ATOMIC_CAPABILITY_UNSIGNED,
    CU_ATOMIC_CAPABILITY_REDUCTION = 4, CU_ATOMIC_CAPABILITY_SCALAR_32 = 8,
    CU_ATOMIC_CAPABILITY_SCALAR_64 = 16, CU_ATOMIC_CAPABILITY_SCALAR_128 = 32,
    CU_ATOMIC_CAPABILITY_VECTOR_32x4 = 64
} CUatomicOperationCapability;
typedef enum CUstreamAtomicReductionOpType_enum {
    CU_STREAM_ATOMIC_REDUCTION_OP_OR = 6, CU_STREAM_ATOMIC_REDUCTION_OP_AND = 5,
    CU_STREAM_ATOMIC_REDUCTION_OP_ADD = 0
} CUstreamAtomicReductionOpType;
typedef enum CUstreamAtomicReductionDataType_enum {
    CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32 = 14, CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64 = 22
} CUstreamAtomicReductionDataType;
typedef enum CUlaunchAttributePortableClusterMode_enum {
    CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT = 0, CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE,
    CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE
} CUlaunchAttributePortableClusterMode;
typedef enum CUsharedMemoryMode_enum {
    CU_SHARED_MEMORY_MODE_DEFAULT = 0, CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE,
    CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE, CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY,
    CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY
} CUsharedMemoryMode;
typedef enum CUstreamCigDataType_enum {
    STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST = 1,
    STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV
} CUstreamCigDataType;
typedef struct CUstreamCigParam_st {
    CUstreamCigDataType streamSharedDataType;
    void *streamSharedData;
} CUstreamCigParam;
typedef struct CUstreamCigCaptureParams_st {
    CUstreamCigParam *streamCigParams; } CUstreamCigCaptureParams;
typedef enum CUtensorMapAllocClass_enum {
    CU_TENSOR_MAP_ALLOC_CLASS_AUTO = 0, CU_TENSOR_MAP_ALLOC_CLASS_SMALL,
    CU_TENSOR_MAP_ALLOC_CLASS_LARGE
} CUtensorMapAllocClass;
typedef struct CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st {
    size_t count;
    CUdeviceptr *dsts, *srcs;
    size_t *sizes;
    CUmemcpyAttributes *attrs;
    size_t *attrsIdxs, numAttrs;
    union { CUcontext ctx; CUgreenCtx gCtx; };
} CUDA_MEMCPY_BATCH_NODE_PARAMS_V1;
typedef CUDA_MEMCPY_BATCH_NODE_PARAMS_V1 CUDA_MEMCPY_BATCH_NODE_PARAMS;
typedef struct CUDA_FABRIC_COPY_BATCH_OP_st CUDA_FABRIC_COPY_BATCH_OP_v1;
typedef CUDA_FABRIC_COPY_BATCH_OP_v1 CUDA_FABRIC_COPY_BATCH_OP;
typedef struct CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st {
    size_t numOps;
    CUDA_FABRIC_COPY_BATCH_OP *opList;
    unsigned long long flags;
    union { CUcontext ctx; CUgreenCtx gCtx; };
} CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1;
typedef CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1 CUDA_FABRIC_CPY_BATCH_NODE_PARAMS;
typedef struct CUcheckpointCustomStoragePerDeviceData_st {
    CUdeviceptr devPtr;
    size_t size;
    CUstream stream;
} CUcheckpointCustomStoragePerDeviceData;
typedef struct CUIcheckpointOperation_st *CUcheckpointOperationHandle;
typedef struct CUcheckpointCustomStorageInfo_st {
    CUcheckpointOperationHandle handle;
    CUcheckpointCustomStoragePerDeviceData *perDeviceData;
    unsigned deviceCount;
} CUcheckpointCustomStorageInfo;
typedef struct CUcheckpointGpuPair_st { CUuuid oldUuid, newUuid; } CUcheckpointGpuPair;
typedef enum CUcliqueType_enum {
    CU_CLIQUE_TYPE_UNICAST_POINTER = 0, CU_CLIQUE_TYPE_MULTICAST_POINTER,
    CU_CLIQUE_TYPE_UNICAST_LOGICAL_ENDPOINT, CU_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT
} CUcliqueType;
typedef struct CUcliqueInfo_st { CUcliqueType type; unsigned id; } CUcliqueInfo;
typedef cuuint32_t CUlogicalEndpointId;
typedef enum CUlogicalEndpointIpcHandleType_enum {
    CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE = 0, CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC
} CUlogicalEndpointIpcHandleType;
typedef struct CUlogicalEndpointFabricHandle_st {
    unsigned char data[64]; } CUlogicalEndpointFabricHandle;
typedef enum CUlogicalEndpointType_enum {
    CU_LOGICAL_ENDPOINT_TYPE_INVALID = 0, CU_LOGICAL_ENDPOINT_TYPE_UNICAST,
    CU_LOGICAL_ENDPOINT_TYPE_MULTICAST
} CUlogicalEndpointType;
typedef enum CUlogicalEndpointFlag_enum {
    CU_LOGICAL_ENDPOINT_FLAG_NONE = 0, CU_LOGICAL_ENDPOINT_FLAG_COUNTED_OPS
} CUlogicalEndpointFlag;
typedef struct CUlogicalEndpointProp_struct {
    CUlogicalEndpointType type;
    union {
        struct { CUdevice device; } unicast;
        struct { unsigned numDevices; } multicast;
    };
    unsigned long long size;
    unsigned ipcHandleTypes, flags;
} CUlogicalEndpointProp;
typedef enum CUfabricCpyOperandType_enum {
    CU_FABRIC_COPY_OPERAND_TYPE_POINTER = 1, CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT,
    CU_FABRIC_COPY_OPERAND_TYPE_MAX = 0x7fffffff
} CUfabricCpyOperandType;
typedef struct CUfabricCpyOperand_st {
    CUfabricCpyOperandType type;
    union {
        struct { CUdeviceptr ptr; CUmemLocation locHint; } ptr;
        struct { CUlogicalEndpointId id; cuuint64_t offset; } le;
    } op;
} CUfabricCpyOperand;
struct CUDA_FABRIC_COPY_BATCH_OP_st {
    CUfabricCpyOperand src, dst;
    size_t size;
    unsigned flags;
};
typedef enum CUgraphRecaptureStatus_enum {
    CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE = 0, CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE,
    CU_GRAPH_RECAPTURE_ERROR
} CUgraphRecaptureStatus;
typedef CUresult (CUDA_CB *CUgraphRecaptureCallback)(void *, CUgraphNode,
    const CUgraphNodeParams *, const CUgraphNodeParams *, CUgraphRecaptureStatus);
typedef struct CUcoredumpCallbackEntry_st *CUcoredumpCallbackHandle;
typedef void (CUDA_CB *CUcoredumpStatusCallback)(void *, int, CUdevice);
typedef enum CUdevSmResourceGroup_flags {
    CU_DEV_SM_RESOURCE_GROUP_DEFAULT = 0, CU_DEV_SM_RESOURCE_GROUP_BACKFILL,
    CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID,
    CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS = 4
} CUdevSmResourceGroup_flags;
typedef CUdevSmResourceSplit_flags CUdevSmResourceSplitByCount_flags;
typedef enum CUdevWorkqueueConfigScope {
    CU_WORKQUEUE_SCOPE_DEVICE_CTX = 0, CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED
} CUdevWorkqueueConfigScope;
typedef struct CUdevWorkqueueConfigResource_st {
    CUdevice device;
    unsigned wqConcurrencyLimit;
    CUdevWorkqueueConfigScope sharingScope;
} CUdevWorkqueueConfigResource;
typedef struct CUdevWorkqueueResource_st { unsigned char reserved[40]; } CUdevWorkqueueResource;
typedef struct CU_DEV_SM_RESOURCE_GROUP_PARAMS_st {
    unsigned smCount, coscheduledSmCount, preferredCoscheduledSmCount, flags, localityDomainId;
    unsigned reserved[11];
} CU_DEV_SM_RESOURCE_GROUP_PARAMS;
