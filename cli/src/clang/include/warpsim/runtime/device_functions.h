// Devices, threads of the host, errors and versions (CUDA Runtime API reference, version 12.9,
// the chapters named below). What the library lacks answers `cudaErrorNotSupported`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Device Management.
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t);
cudaError_t cudaDeviceGetLimit(size_t *, enum cudaLimit);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *, const struct cudaChannelFormatDesc *,
    int);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *);
cudaError_t cudaDeviceGetStreamPriorityRange(int *, int *);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceGetByPCIBusId(int *, const char *);
cudaError_t cudaDeviceGetPCIBusId(char *, int, int);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *);
cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned);
cudaError_t cudaIpcCloseMemHandle(void *);
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget,
    enum cudaFlushGPUDirectRDMAWritesScope);
cudaError_t cudaDeviceRegisterAsyncNotification(int, cudaAsyncCallback, void *,
    cudaAsyncCallbackHandle_t *);
cudaError_t cudaDeviceUnregisterAsyncNotification(int, cudaAsyncCallbackHandle_t);

// Device Management [DEPRECATED].
__warpsim_deprecated cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *);
__warpsim_deprecated cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig);

// Thread Management [DEPRECATED].
__warpsim_deprecated cudaError_t cudaThreadExit(void);
__warpsim_deprecated cudaError_t cudaThreadSynchronize(void);
__warpsim_deprecated cudaError_t cudaThreadSetLimit(enum cudaLimit, size_t);
__warpsim_deprecated cudaError_t cudaThreadGetLimit(size_t *, enum cudaLimit);
__warpsim_deprecated cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *);
__warpsim_deprecated cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache);

// Error Handling.
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char * cudaGetErrorName(cudaError_t);
const char * cudaGetErrorString(cudaError_t);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int);
cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceGetNvSciSyncAttributes(void *, int, int);
cudaError_t cudaDeviceGetP2PAttribute(int *, enum cudaDeviceP2PAttr, int, int);
cudaError_t cudaChooseDevice(int *, const struct cudaDeviceProp *);
cudaError_t cudaInitDevice(int, unsigned, unsigned);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaSetValidDevices(int *, int);
cudaError_t cudaSetDeviceFlags(unsigned);
cudaError_t cudaGetDeviceFlags(unsigned *);

// Version Management.
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaRuntimeGetVersion(int *);
__warpsim_end_c
