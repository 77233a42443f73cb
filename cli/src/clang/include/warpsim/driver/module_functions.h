// Modules, libraries, launches, and what tells of them (CUDA Driver API reference, version
// 12.9, the chapters named below). What the library lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Module Management.
CUresult CUDAAPI cuModuleLoad(CUmodule *, const char *);
CUresult CUDAAPI cuModuleLoadData(CUmodule *, const void *);
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *, const void *, unsigned, CUjit_option *, void **);
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *, const void *);
CUresult CUDAAPI cuModuleUnload(CUmodule);
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *);
CUresult CUDAAPI cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult CUDAAPI cuModuleGetFunctionCount(unsigned *, CUmodule);
CUresult CUDAAPI cuModuleEnumerateFunctions(CUfunction *, unsigned, CUmodule);
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *);
CUresult CUDAAPI cuLinkCreate(unsigned, CUjit_option *, void **, CUlinkState *);
CUresult CUDAAPI cuLinkAddData(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned,
    CUjit_option *, void **);
CUresult CUDAAPI cuLinkAddFile(CUlinkState, CUjitInputType, const char *, unsigned, CUjit_option *,
    void **);
CUresult CUDAAPI cuLinkComplete(CUlinkState, void **, size_t *);
CUresult CUDAAPI cuLinkDestroy(CUlinkState);

// Module Management [DEPRECATED].
__warpsim_deprecated CUresult CUDAAPI cuModuleGetTexRef(CUtexref *, CUmodule, const char *);
__warpsim_deprecated CUresult CUDAAPI cuModuleGetSurfRef(CUsurfref *, CUmodule, const char *);

// Library Management.
CUresult CUDAAPI cuLibraryLoadData(CUlibrary *, const void *, CUjit_option *, void **, unsigned,
    CUlibraryOption *, void **, unsigned);
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *, const char *, CUjit_option *, void **, unsigned,
    CUlibraryOption *, void **, unsigned);
CUresult CUDAAPI cuLibraryUnload(CUlibrary);
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *, CUlibrary, const char *);
CUresult CUDAAPI cuLibraryGetKernelCount(unsigned *, CUlibrary);
CUresult CUDAAPI cuLibraryEnumerateKernels(CUkernel *, unsigned, CUlibrary);
CUresult CUDAAPI cuLibraryGetModule(CUmodule *, CUlibrary);
CUresult CUDAAPI cuKernelGetFunction(CUfunction *, CUkernel);
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *, CUkernel);
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr *, size_t *, CUlibrary, const char *);
CUresult CUDAAPI cuLibraryGetManaged(CUdeviceptr *, size_t *, CUlibrary, const char *);
CUresult CUDAAPI cuLibraryGetUnifiedFunction(void **, CUlibrary, const char *);
CUresult CUDAAPI cuKernelGetAttribute(int *, CUfunction_attribute, CUkernel, CUdevice);
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute, int, CUkernel, CUdevice);
CUresult CUDAAPI cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice);
CUresult CUDAAPI cuKernelGetName(const char **, CUkernel);
CUresult CUDAAPI cuKernelGetParamInfo(CUkernel, size_t, size_t *, size_t *);

// Execution Control.
CUresult CUDAAPI cuFuncGetAttribute(int *, CUfunction_attribute, CUfunction);
CUresult CUDAAPI cuFuncSetAttribute(CUfunction, CUfunction_attribute, int);
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction, CUfunc_cache);
CUresult CUDAAPI cuFuncGetModule(CUmodule *, CUfunction);
CUresult CUDAAPI cuFuncGetName(const char **, CUfunction);
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction, size_t, size_t *, size_t *);
CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState *, CUfunction);
CUresult CUDAAPI cuFuncLoad(CUfunction);
CUresult CUDAAPI cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
    unsigned, unsigned, CUstream, void **, void **);
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned,
    unsigned, unsigned, unsigned, CUstream, void **);
__warpsim_deprecated CUresult CUDAAPI cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *,
    unsigned, unsigned);
CUresult CUDAAPI cuLaunchHostFunc(CUstream, CUhostFn, void *);

// Execution Control [DEPRECATED].
__warpsim_deprecated CUresult CUDAAPI cuFuncSetBlockShape(CUfunction, int, int, int);
__warpsim_deprecated CUresult CUDAAPI cuFuncSetSharedSize(CUfunction, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuParamSetSize(CUfunction, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuParamSeti(CUfunction, int, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuParamSetf(CUfunction, int, float);
__warpsim_deprecated CUresult CUDAAPI cuParamSetv(CUfunction, int, void *, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuLaunch(CUfunction);
__warpsim_deprecated CUresult CUDAAPI cuLaunchGrid(CUfunction, int, int);
__warpsim_deprecated CUresult CUDAAPI cuLaunchGridAsync(CUfunction, int, int, CUstream);
__warpsim_deprecated CUresult CUDAAPI cuParamSetTexRef(CUfunction, int, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig);

// Occupancy.
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, CUfunction, int, size_t);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, CUfunction, int,
    size_t, unsigned);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *, int *, CUfunction, CUoccupancyB2DSize,
    size_t, int);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *, int *, CUfunction,
    CUoccupancyB2DSize, size_t, int, unsigned);
CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t *, CUfunction, int, int);
CUresult CUDAAPI cuOccupancyMaxPotentialClusterSize(int *, CUfunction, const CUlaunchConfig *);
CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *, CUfunction, const CUlaunchConfig *);

// Driver Entry Point Access.
CUresult CUDAAPI cuGetProcAddress(const char *, void **, int, cuuint64_t,
    CUdriverProcAddressQueryResult *);

// Coredump Attributes Control API.
CUresult CUDAAPI cuCoredumpGetAttribute(CUcoredumpSettings, void *, size_t *);
CUresult CUDAAPI cuCoredumpGetAttributeGlobal(CUcoredumpSettings, void *, size_t *);
CUresult CUDAAPI cuCoredumpSetAttribute(CUcoredumpSettings, void *, size_t *);
CUresult CUDAAPI cuCoredumpSetAttributeGlobal(CUcoredumpSettings, void *, size_t *);
CUresult CUDAAPI cuGetExportTable(const void **, const CUuuid *);

// Error Log Management Functions.
CUresult CUDAAPI cuLogsRegisterCallback(CUlogsCallback, void *, CUlogsCallbackHandle *);
CUresult CUDAAPI cuLogsUnregisterCallback(CUlogsCallbackHandle);
CUresult CUDAAPI cuLogsCurrent(CUlogIterator *, unsigned);
CUresult CUDAAPI cuLogsDumpToFile(CUlogIterator *, const char *, unsigned);
CUresult CUDAAPI cuLogsDumpToMemory(CUlogIterator *, char *, size_t *, unsigned);

// CUDA Checkpointing.
CUresult CUDAAPI cuCheckpointProcessGetRestoreThreadId(int, int *);
CUresult CUDAAPI cuCheckpointProcessGetState(int, CUprocessState *);
CUresult CUDAAPI cuCheckpointProcessLock(int, CUcheckpointLockArgs *);
CUresult CUDAAPI cuCheckpointProcessCheckpoint(int, CUcheckpointCheckpointArgs *);
CUresult CUDAAPI cuCheckpointProcessRestore(int, CUcheckpointRestoreArgs *);
CUresult CUDAAPI cuCheckpointProcessUnlock(int, CUcheckpointUnlockArgs *);
__warpsim_end_c
