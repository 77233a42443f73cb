// cublasXt (cuBLAS documentation, version 12.9, "Using the cublasXt API"): products of matrices
// that may be larger than the device, in memory of the host or of the device. Here a product goes
// to the one device as a whole and is waited for; tiles, devices and pinning are kept to be asked
// for.
//
// Deviation: of the routines there is `gemm` alone. What else the API has is not declared.
#if !defined(CUBLAS_XT_H_)
#define CUBLAS_XT_H_
#pragma GCC system_header
#include <cuda_runtime.h>
#include "cublas_v2.h"

struct cublasXtContext;
typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0,
    CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;

static inline int *__warpsim_blas_tile(void) {
    static int tile = 4096;
    return &tile;
}
static inline cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle) {
    return cublasCreate_v2((cublasHandle_t *)handle);
}
static inline cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
    return cublasDestroy_v2((cublasHandle_t)handle);
}
static inline cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count,
    int devices[]) {
    int present = 0;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (count < 1 || cudaGetDeviceCount(&present) != cudaSuccess)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int i = 0; i < count; i++)
        if (devices[i] < 0 || devices[i] >= present)
            return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasXtMaxBoards(int *count) {
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int *boards) {
    (void)devices;
    *boards = count;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int tile) {
    (void)handle;
    if (tile <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    *__warpsim_blas_tile() = tile;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *tile) {
    (void)handle;
    *tile = *__warpsim_blas_tile();
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle,
    cublasXtPinnedMemMode_t mode) {
    (void)handle, (void)mode;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle,
    cublasXtPinnedMemMode_t *mode) {
    (void)handle;
    *mode = CUBLASXT_PINNING_DISABLED;
    return CUBLAS_STATUS_SUCCESS;
}

// A matrix goes to the device, to lie there without gaps, or comes back.
static inline cublasStatus_t __warpsim_blas_moved(void *to, size_t to_ld, const void *from,
    size_t from_ld, size_t rows,
                                                  size_t columns, size_t element) {
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    cudaError_t error = cudaMemcpy2D(to, to_ld * element, from, from_ld * element, rows * element,
        columns,
                                     cudaMemcpyDefault);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
static inline size_t __warpsim_blas_most(size_t a, size_t b) { return a > b ? a : b; }

#define __warpsim_blas_gemm(L, T) \
    static inline cublasStatus_t cublasXt##L##gemm(cublasXtHandle_t handle, \
        cublasOperation_t transa, \
        cublasOperation_t transb, size_t m, size_t n, size_t k, const T *alpha, const T *A, \
            size_t lda, const T *B, \
        size_t ldb, const T *beta, T *C, size_t ldc) { \
        size_t ra = transa == CUBLAS_OP_N ? m : k, ca = transa == CUBLAS_OP_N ? k : m; \
        size_t rb = transb == CUBLAS_OP_N ? k : n, cb = transb == CUBLAS_OP_N ? n : k; \
        if (lda < __warpsim_blas_most(ra, 1) || ldb < __warpsim_blas_most(rb, 1) || \
            ldc < __warpsim_blas_most(m, 1)) \
            return CUBLAS_STATUS_INVALID_VALUE; \
        size_t na = ra * ca, nb = rb * cb, nc = m * n; \
        T *at = 0; \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS; \
        if (cudaMalloc((void **)&at, (na + nb + nc + 1) * sizeof(T)) != cudaSuccess) \
            return CUBLAS_STATUS_ALLOC_FAILED; \
        T *a = at, *b = at + na, *c = at + na + nb; \
        size_t la = __warpsim_blas_most(ra, 1), lb = __warpsim_blas_most(rb, 1), \
            lc = __warpsim_blas_most(m, 1); \
        if (status == CUBLAS_STATUS_SUCCESS) \
            status = __warpsim_blas_moved(a, la, A, lda, ra, ca, sizeof(T)); \
        if (status == CUBLAS_STATUS_SUCCESS) \
            status = __warpsim_blas_moved(b, lb, B, ldb, rb, cb, sizeof(T)); \
        if (status == CUBLAS_STATUS_SUCCESS) \
            status = __warpsim_blas_moved(c, lc, C, ldc, m, n, sizeof(T)); \
        if (status == CUBLAS_STATUS_SUCCESS) \
            status = cublas##L##gemm_v2_64((cublasHandle_t)handle, transa, transb, (int64_t)m, \
                (int64_t)n, (int64_t)k, \
                                           alpha, a, (int64_t)la, b, (int64_t)lb, beta, c, \
                                               (int64_t)lc); \
        if (status == CUBLAS_STATUS_SUCCESS) \
            status = __warpsim_blas_moved(C, ldc, c, lc, m, n, sizeof(T)); \
        cudaFree(at); \
        return status; \
    }
__warpsim_blas_gemm(S, float)
__warpsim_blas_gemm(D, double)
__warpsim_blas_gemm(C, cuComplex)
__warpsim_blas_gemm(Z, cuDoubleComplex)
#undef __warpsim_blas_gemm
#endif
