// Linking at run time (nvJitLink documentation, version 12.9), with what version 13 adds.
#if !defined(nvJitLink_INCLUDED)
#define nvJitLink_INCLUDED
#include <stdint.h>
#include "warpsim/c.h"

typedef enum nvJitLinkResult {
    NVJITLINK_SUCCESS = 0, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, NVJITLINK_ERROR_MISSING_ARCH,
    NVJITLINK_ERROR_INVALID_INPUT, NVJITLINK_ERROR_PTX_COMPILE, NVJITLINK_ERROR_NVVM_COMPILE,
    NVJITLINK_ERROR_INTERNAL, NVJITLINK_ERROR_THREADPOOL, NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
    NVJITLINK_ERROR_FINALIZE
} nvJitLinkResult;
typedef enum nvJitLinkInputType {
    NVJITLINK_INPUT_NONE = 0, NVJITLINK_INPUT_CUBIN, NVJITLINK_INPUT_PTX, NVJITLINK_INPUT_LTOIR,
    NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_OBJECT, NVJITLINK_INPUT_LIBRARY, NVJITLINK_INPUT_INDEX,
    NVJITLINK_INPUT_ANY = 10
} nvJitLinkInputType;
typedef struct nvJitLink *nvJitLinkHandle;
#define NVJITLINK_ERROR_NULL_INPUT NVJITLINK_ERROR_INVALID_INPUT
#define NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS NVJITLINK_ERROR_INVALID_INPUT
#define NVJITLINK_ERROR_INCORRECT_INPUT_TYPE NVJITLINK_ERROR_INVALID_INPUT
#define NVJITLINK_ERROR_ARCH_MISMATCH NVJITLINK_ERROR_INTERNAL
#define NVJITLINK_ERROR_OUTDATED_LIBRARY NVJITLINK_ERROR_INTERNAL
#define NVJITLINK_ERROR_MISSING_FATBIN NVJITLINK_ERROR_INVALID_INPUT

// The library has each function under its name with the version that a program was compiled with.
#define nvJitLinkCreate __nvJitLinkCreate_12_9
#define nvJitLinkDestroy __nvJitLinkDestroy_12_9
#define nvJitLinkAddData __nvJitLinkAddData_12_9
#define nvJitLinkAddFile __nvJitLinkAddFile_12_9
#define nvJitLinkComplete __nvJitLinkComplete_12_9
#define nvJitLinkGetLinkedCubinSize __nvJitLinkGetLinkedCubinSize_12_9
#define nvJitLinkGetLinkedCubin __nvJitLinkGetLinkedCubin_12_9
#define nvJitLinkGetLinkedPtxSize __nvJitLinkGetLinkedPtxSize_12_9
#define nvJitLinkGetLinkedPtx __nvJitLinkGetLinkedPtx_12_9
#define nvJitLinkGetErrorLogSize __nvJitLinkGetErrorLogSize_12_9
#define nvJitLinkGetErrorLog __nvJitLinkGetErrorLog_12_9
#define nvJitLinkGetInfoLogSize __nvJitLinkGetInfoLogSize_12_9
#define nvJitLinkGetInfoLog __nvJitLinkGetInfoLog_12_9
#define nvJitLinkGetLinkedLTOIRSize __nvJitLinkGetLinkedLTOIRSize_13_0
#define nvJitLinkGetLinkedLTOIR __nvJitLinkGetLinkedLTOIR_13_0
__warpsim_begin_c
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *, uint32_t, const char **);
nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *);
nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle, nvJitLinkInputType, const void *, size_t,
    const char *);
nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle, nvJitLinkInputType, const char *);
nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle);
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle, size_t *);
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle, void *);
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle, size_t *);
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle, char *);
nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle, size_t *);
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle, char *);
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle, size_t *);
nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle, char *);
nvJitLinkResult nvJitLinkVersion(unsigned *, unsigned *);
nvJitLinkResult nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle, size_t *);
nvJitLinkResult nvJitLinkGetLinkedLTOIR(nvJitLinkHandle, void *);
__warpsim_end_c
#endif
