// Compilation at run time (NVRTC documentation, version 12.9), with what version 13 adds.
#if !defined(__NVRTC_H__)
#define __NVRTC_H__
#include "warpsim/c.h"

typedef enum nvrtcResult {
    NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_PROGRAM_CREATION_FAILURE,
    NVRTC_ERROR_INVALID_INPUT, NVRTC_ERROR_INVALID_PROGRAM, NVRTC_ERROR_INVALID_OPTION,
    NVRTC_ERROR_COMPILATION, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
    NVRTC_ERROR_INTERNAL_ERROR, NVRTC_ERROR_TIME_FILE_WRITE_FAILED,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED, NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED,
    NVRTC_ERROR_PCH_CREATE, NVRTC_ERROR_CANCELLED, NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED,
    NVRTC_ERROR_BUSY
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
typedef struct nvrtcBundledHeadersInfo {
    int available;
    size_t compressedSize, uncompressedSize;
    int cudaVersionMajor, cudaVersionMinor;
    unsigned numFiles;
} nvrtcBundledHeadersInfo;
__warpsim_begin_c
const char *nvrtcGetErrorString(nvrtcResult);
nvrtcResult nvrtcVersion(int *, int *);
nvrtcResult nvrtcGetNumSupportedArchs(int *);
nvrtcResult nvrtcGetSupportedArchs(int *);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *, const char *, const char *, int, const char *const *,
    const char *const *);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *);
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char *const *);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetPTX(nvrtcProgram, char *);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char *);
__warpsim_deprecated nvrtcResult nvrtcGetNVVMSize(nvrtcProgram, size_t *);
__warpsim_deprecated nvrtcResult nvrtcGetNVVM(nvrtcProgram, char *);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram, char *);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram, char *);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char *);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram, const char *const);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram, const char *const, const char **);
nvrtcResult nvrtcGetPCHHeapSize(size_t *);
nvrtcResult nvrtcSetPCHHeapSize(size_t);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram, size_t *);
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram, int (*)(void *, void *), void *);

// Version 13.
nvrtcResult nvrtcGetTileIRSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetTileIR(nvrtcProgram, char *);
nvrtcResult nvrtcInstallBundledHeaders(const char *, unsigned, const char **);
nvrtcResult nvrtcGetBundledHeadersInfo(nvrtcBundledHeadersInfo *, const char **);
nvrtcResult nvrtcRemoveBundledHeaders(const char *, const char **);
__warpsim_end_c
#endif
