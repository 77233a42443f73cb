// cuBLAS (cuBLAS documentation, version 12.9, "Using the cuBLAS Legacy API"): the API without
// handles, over that with them. Scalars are values, results are returned, and `cublasGetError`
// gives the last status that was an error.
#if !defined(CUBLAS_H_)
#define CUBLAS_H_
#if defined(CUBLAS_V2_H_)
#error "cublas.h and cublas_v2.h exclude each other"
#endif
#pragma GCC system_header
#include <cuda_runtime.h>
#include "cublas_api.h"

#define cublasStatus cublasStatus_t

#if defined(__cplusplus)
extern "C" {
#endif
cublasStatus_t cublasInit(void);
cublasStatus_t cublasShutdown(void);
cublasStatus_t cublasGetError(void);
cublasStatus_t cublasSetKernelStream(cudaStream_t stream);
// The library's own: the handle behind these functions, and keeping a status that is an error.
cublasHandle_t cublasLegacyHandle(void);
cublasStatus_t cublasLegacyStatus(cublasStatus_t status);
#if defined(__cplusplus)
}
#endif

static inline cublasStatus_t cublasGetVersion(int *version) { return
    cublasGetVersion_v2(cublasLegacyHandle(), version); }
static inline cublasStatus_t cublasAlloc(int n, int elemSize, void **pointer) {
    if (n <= 0 || elemSize <= 0)
        return cublasLegacyStatus(CUBLAS_STATUS_INVALID_VALUE);
    cudaError_t error = cudaMalloc(pointer, (size_t)n * (size_t)elemSize);
    return cublasLegacyStatus(error == cudaSuccess ? CUBLAS_STATUS_SUCCESS :
        CUBLAS_STATUS_ALLOC_FAILED);
}
static inline cublasStatus_t cublasFree(void *pointer) {
    cudaError_t error = cudaFree(pointer);
    return cublasLegacyStatus(error == cudaSuccess ? CUBLAS_STATUS_SUCCESS :
        CUBLAS_STATUS_INTERNAL_ERROR);
}

// Letters of BLAS. What is none of them is no value of the enumeration, which the functions
// refuse.
static inline cublasOperation_t __warpsim_blas_op(char c) {
    return c == 'n' || c == 'N' ? CUBLAS_OP_N
           : c == 't' || c == 'T' ? CUBLAS_OP_T
           : c == 'c' || c == 'C' ? CUBLAS_OP_C
                                  : CUBLAS_OP_CONJG;
}
static inline cublasFillMode_t __warpsim_blas_fill(char c) {
    return c == 'u' || c == 'U' ? CUBLAS_FILL_MODE_UPPER
           : c == 'l' || c == 'L' ? CUBLAS_FILL_MODE_LOWER
                                  : CUBLAS_FILL_MODE_FULL;
}
static inline cublasDiagType_t __warpsim_blas_diag(char c) {
    return c == 'u' || c == 'U' ? CUBLAS_DIAG_UNIT : c == 'n' || c == 'N' ? CUBLAS_DIAG_NON_UNIT :
        (cublasDiagType_t)2;
}
static inline cublasSideMode_t __warpsim_blas_side(char c) {
    return c == 'l' || c == 'L' ? CUBLAS_SIDE_LEFT : c == 'r' || c == 'R' ? CUBLAS_SIDE_RIGHT :
        (cublasSideMode_t)2;
}

// Routines of a letter and its types: the real one for norms and Hermitian updates, and what
// stands in names.
#define __warpsim_blas_do(call) ((void)cublasLegacyStatus(call))
#define __warpsim_blas_h cublasLegacyHandle()
#include "warpsim/cublas_legacy.h"
#undef __warpsim_blas_do
#undef __warpsim_blas_h
#endif
