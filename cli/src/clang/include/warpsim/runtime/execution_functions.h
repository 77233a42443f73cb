// Launches, occupancy, entry points and libraries (CUDA Runtime API reference, version 12.9,
// the chapters named below). What the library lacks answers `cudaErrorNotSupported`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Execution Control.
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
__warpsim_deprecated cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *,
    unsigned, unsigned __warpsim_or(0));
cudaError_t cudaFuncSetCacheConfig(const void *, enum cudaFuncCache);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int);
cudaError_t cudaFuncGetName(const char **, const void *);
cudaError_t cudaFuncGetParamInfo(const void *, size_t, size_t *, size_t *);
__warpsim_deprecated cudaError_t cudaSetDoubleForDevice(double *);
__warpsim_deprecated cudaError_t cudaSetDoubleForHost(double *);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *);

// Execution Control [DEPRECATED].
__warpsim_deprecated cudaError_t cudaFuncSetSharedMemConfig(const void *, enum cudaSharedMemConfig);

// Occupancy.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *, int, size_t,
    unsigned);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *, const void *, const cudaLaunchConfig_t *);
cudaError_t cudaOccupancyMaxActiveClusters(int *, const void *, const cudaLaunchConfig_t *);

// Driver Entry Point Access.
cudaError_t cudaGetDriverEntryPoint(const char *, void **, unsigned long long,
    enum cudaDriverEntryPointQueryResult * __warpsim_or(NULL));
cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long,
    enum cudaDriverEntryPointQueryResult * __warpsim_or(NULL));

// Library Management.
cudaError_t cudaLibraryLoadData(cudaLibrary_t *, const void *, enum cudaJitOption *, void **,
    unsigned, enum cudaLibraryOption *, void **, unsigned);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *, const char *, enum cudaJitOption *, void **,
    unsigned, enum cudaLibraryOption *, void **, unsigned);
cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetGlobal(void **, size_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetManaged(void **, size_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetUnifiedFunction(void **, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetKernelCount(unsigned *, cudaLibrary_t);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *, unsigned, cudaLibrary_t);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t, enum cudaFuncAttribute, int, int);
cudaError_t cudaGetExportTable(const void **, const cudaUUID_t *);

// Interactions with the CUDA Driver API.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *, const void *);
cudaError_t cudaGetKernel(cudaKernel_t *, const void *);
__warpsim_end_c
