// Memory and semaphores of other interfaces, handles, and options of libraries (CUDA Runtime
// API reference, version 12.9, "Data types used by CUDA Runtime").
#pragma once
enum cudaExternalMemoryHandleType {
    cudaExternalMemoryHandleTypeOpaqueFd = 1, cudaExternalMemoryHandleTypeOpaqueWin32,
    cudaExternalMemoryHandleTypeOpaqueWin32Kmt, cudaExternalMemoryHandleTypeD3D12Heap,
    cudaExternalMemoryHandleTypeD3D12Resource, cudaExternalMemoryHandleTypeD3D11Resource,
    cudaExternalMemoryHandleTypeD3D11ResourceKmt, cudaExternalMemoryHandleTypeNvSciBuf
};
struct cudaExternalMemoryHandleDesc {
    enum cudaExternalMemoryHandleType type;
    union {
        int fd;
        struct { void *handle; const void *name; } win32;
        const void *nvSciBufObject;
    } handle;
    unsigned long long size;
    unsigned flags;
};
struct cudaExternalMemoryBufferDesc {
    unsigned long long offset, size;
    unsigned flags;
};
struct cudaExternalMemoryMipmappedArrayDesc {
    unsigned long long offset;
    struct cudaChannelFormatDesc formatDesc;
    struct cudaExtent extent;
    unsigned flags, numLevels;
};
enum cudaExternalSemaphoreHandleType {
    cudaExternalSemaphoreHandleTypeOpaqueFd = 1, cudaExternalSemaphoreHandleTypeOpaqueWin32,
    cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt, cudaExternalSemaphoreHandleTypeD3D12Fence,
    cudaExternalSemaphoreHandleTypeD3D11Fence, cudaExternalSemaphoreHandleTypeNvSciSync,
    cudaExternalSemaphoreHandleTypeKeyedMutex, cudaExternalSemaphoreHandleTypeKeyedMutexKmt,
    cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd,
    cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32
};
struct cudaExternalSemaphoreHandleDesc {
    enum cudaExternalSemaphoreHandleType type;
    union {
        int fd;
        struct { void *handle; const void *name; } win32;
        const void *nvSciSyncObj;
    } handle;
    unsigned flags;
};
struct cudaExternalSemaphoreSignalParams_v1 {
    struct {
        struct { unsigned long long value; } fence;
        union { void *fence; unsigned long long reserved; } nvSciSync;
        struct { unsigned long long key; } keyedMutex;
    } params;
    unsigned flags;
};
struct cudaExternalSemaphoreWaitParams_v1 {
    struct {
        struct { unsigned long long value; } fence;
        union { void *fence; unsigned long long reserved; } nvSciSync;
        struct { unsigned long long key; unsigned timeoutMs; } keyedMutex;
    } params;
    unsigned flags;
};
struct cudaExternalSemaphoreSignalParams {
    struct {
        struct { unsigned long long value; } fence;
        union { void *fence; unsigned long long reserved; } nvSciSync;
        struct { unsigned long long key; } keyedMutex;
        unsigned reserved[12];
    } params;
    unsigned flags, reserved[16];
};
struct cudaExternalSemaphoreWaitParams {
    struct {
        struct { unsigned long long value; } fence;
        union { void *fence; unsigned long long reserved; } nvSciSync;
        struct { unsigned long long key; unsigned timeoutMs; } keyedMutex;
        unsigned reserved[10];
    } params;
    unsigned flags, reserved[16];
};
typedef enum cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
enum cudaJitOption {
    cudaJitMaxRegisters = 0, cudaJitThreadsPerBlock, cudaJitWallTime, cudaJitInfoLogBuffer,
    cudaJitInfoLogBufferSizeBytes, cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
    cudaJitOptimizationLevel, cudaJitFallbackStrategy = 10, cudaJitGenerateDebugInfo,
    cudaJitLogVerbose, cudaJitGenerateLineInfo, cudaJitCacheMode,
    cudaJitPositionIndependentCode = 30, cudaJitMinCtaPerSm, cudaJitMaxThreadsPerBlock,
    cudaJitOverrideDirectiveValues
};
enum cudaLibraryOption {
    cudaLibraryHostUniversalFunctionAndDataTable = 0, cudaLibraryBinaryIsPreserved
};
struct cudalibraryHostUniversalFunctionAndDataTable {
    void *functionTable;
    size_t functionWindowSize;
    void *dataTable;
    size_t dataWindowSize;
};
enum cudaJit_CacheMode {
    cudaJitCacheOptionNone = 0, cudaJitCacheOptionCG, cudaJitCacheOptionCA
};
enum cudaJit_Fallback { cudaPreferPtx = 0, cudaPreferBinary };
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
