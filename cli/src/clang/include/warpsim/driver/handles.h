// Handles, flags and operations of streams (CUDA Driver API reference, version 12.9, "Data
// types used by CUDA driver").
#pragma once
#include "../uuid.h"
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef unsigned long long CUdeviceptr_v2;
typedef CUdeviceptr_v2 CUdeviceptr;
typedef int CUdevice_v1;
typedef CUdevice_v1 CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef unsigned long long CUtexObject_v1;
typedef CUtexObject_v1 CUtexObject;
typedef unsigned long long CUsurfObject_v1;
typedef CUsurfObject_v1 CUsurfObject;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUuserObject_st *CUuserObject;
typedef cuuint64_t CUgraphConditionalHandle;
typedef struct CUgraphDeviceUpdatableNode_st *CUgraphDeviceNode;
typedef struct CUasyncCallbackEntry_st *CUasyncCallbackHandle;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUmemFabricHandle_st { unsigned char data[64]; } CUmemFabricHandle_v1;
typedef CUmemFabricHandle_v1 CUmemFabricHandle;
typedef struct CUipcEventHandle_st { char reserved[64]; } CUipcEventHandle_v1;
typedef CUipcEventHandle_v1 CUipcEventHandle;
typedef struct CUipcMemHandle_st { char reserved[64]; } CUipcMemHandle_v1;
typedef CUipcMemHandle_v1 CUipcMemHandle;
typedef enum CUipcMem_flags_enum { CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 } CUipcMem_flags;
typedef enum CUmemAttach_flags_enum {
    CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST, CU_MEM_ATTACH_SINGLE = 4
} CUmemAttach_flags;
typedef enum CUctx_flags_enum {
    CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN, CU_CTX_SCHED_YIELD, CU_CTX_SCHED_BLOCKING_SYNC = 4,
    CU_CTX_BLOCKING_SYNC = 4, CU_CTX_SCHED_MASK = 7, CU_CTX_MAP_HOST,
    CU_CTX_LMEM_RESIZE_TO_MAX = 16, CU_CTX_COREDUMP_ENABLE = 32, CU_CTX_USER_COREDUMP_ENABLE = 64,
    CU_CTX_SYNC_MEMOPS = 128, CU_CTX_FLAGS_MASK = 255
} CUctx_flags;
typedef enum CUevent_sched_flags_enum {
    CU_EVENT_SCHED_AUTO = 0, CU_EVENT_SCHED_SPIN, CU_EVENT_SCHED_YIELD,
    CU_EVENT_SCHED_BLOCKING_SYNC = 4
} CUevent_sched_flags;
typedef enum cl_event_flags_enum {
    NVCL_EVENT_SCHED_AUTO = 0, NVCL_EVENT_SCHED_SPIN, NVCL_EVENT_SCHED_YIELD,
    NVCL_EVENT_SCHED_BLOCKING_SYNC = 4
} cl_event_flags;
typedef enum cl_context_flags_enum {
    NVCL_CTX_SCHED_AUTO = 0, NVCL_CTX_SCHED_SPIN, NVCL_CTX_SCHED_YIELD,
    NVCL_CTX_SCHED_BLOCKING_SYNC = 4
} cl_context_flags;
typedef enum CUstream_flags_enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING } CUstream_flags;
typedef enum CUevent_flags_enum {
    CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING,
    CU_EVENT_INTERPROCESS = 4
} CUevent_flags;
typedef enum CUevent_record_flags_enum {
    CU_EVENT_RECORD_DEFAULT = 0, CU_EVENT_RECORD_EXTERNAL
} CUevent_record_flags;
typedef enum CUevent_wait_flags_enum {
    CU_EVENT_WAIT_DEFAULT = 0, CU_EVENT_WAIT_EXTERNAL
} CUevent_wait_flags;
typedef enum CUstreamWaitValue_flags_enum {
    CU_STREAM_WAIT_VALUE_GEQ = 0, CU_STREAM_WAIT_VALUE_EQ, CU_STREAM_WAIT_VALUE_AND,
    CU_STREAM_WAIT_VALUE_NOR, CU_STREAM_WAIT_VALUE_FLUSH = 0x40000000
} CUstreamWaitValue_flags;
typedef enum CUstreamWriteValue_flags_enum {
    CU_STREAM_WRITE_VALUE_DEFAULT = 0, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER
} CUstreamWriteValue_flags;
typedef enum CUstreamBatchMemOpType_enum {
    CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1, CU_STREAM_MEM_OP_WRITE_VALUE_32,
    CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4, CU_STREAM_MEM_OP_WRITE_VALUE_64, CU_STREAM_MEM_OP_BARRIER,
    CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3, CU_STREAM_MEM_OP_ATOMIC_REDUCTION = 8
} CUstreamBatchMemOpType;
typedef enum CUstreamMemoryBarrier_flags_enum {
    CU_STREAM_MEMORY_BARRIER_TYPE_SYS = 0, CU_STREAM_MEMORY_BARRIER_TYPE_GPU
} CUstreamMemoryBarrier_flags;
typedef union CUstreamBatchMemOpParams_union {
    CUstreamBatchMemOpType operation;
    struct CUstreamMemOpWaitValueParams_st {
        CUstreamBatchMemOpType operation;
        CUdeviceptr address;
        union { cuuint32_t value; cuuint64_t value64; };
        unsigned flags;
        CUdeviceptr alias;
    } waitValue;
    struct CUstreamMemOpWriteValueParams_st {
        CUstreamBatchMemOpType operation;
        CUdeviceptr address;
        union { cuuint32_t value; cuuint64_t value64; };
        unsigned flags;
        CUdeviceptr alias;
    } writeValue;
    struct CUstreamMemOpFlushRemoteWritesParams_st {
        CUstreamBatchMemOpType operation;
        unsigned flags;
    } flushRemoteWrites;
    struct CUstreamMemOpMemoryBarrierParams_st {
        CUstreamBatchMemOpType operation;
        unsigned flags;
    } memoryBarrier;
    cuuint64_t pad[6];
} CUstreamBatchMemOpParams_v1;
typedef CUstreamBatchMemOpParams_v1 CUstreamBatchMemOpParams;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st {
    CUcontext ctx;
    unsigned count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS_v1;
typedef CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 CUDA_BATCH_MEM_OP_NODE_PARAMS;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st {
    CUcontext ctx;
    unsigned count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS_v2;
typedef enum CUoccupancy_flags_enum {
    CU_OCCUPANCY_DEFAULT = 0, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE
} CUoccupancy_flags;
typedef enum CUstreamUpdateCaptureDependencies_flags_enum {
    CU_STREAM_ADD_CAPTURE_DEPENDENCIES = 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES
} CUstreamUpdateCaptureDependencies_flags;
typedef enum CUasyncNotificationType_enum {
    CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET = 1
} CUasyncNotificationType;
typedef struct CUasyncNotificationInfo_st {
    CUasyncNotificationType type;
    union { struct { unsigned long long bytesOverBudget; } overBudget; } info;
} CUasyncNotificationInfo;
typedef void (CUDA_CB *CUasyncCallback)(CUasyncNotificationInfo *, void *, CUasyncCallbackHandle);
