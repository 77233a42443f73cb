// cuSPARSE (cuSPARSE API Reference, version 12.9): the generic API, and what programs use beside it.
//
// The library is `libcusparse.so.12`. Products (SpMV, SpMM) and conversions of rows are computed; other
// functions answer CUSPARSE_STATUS_NOT_SUPPORTED. What is not as in cuSPARSE is in the contract of
// `driver-api/src/sparse`.
#pragma once
#define CUSPARSE_H_
#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 5
#define CUSPARSE_VER_PATCH 10
#define CUSPARSE_VER_BUILD 65
#define CUSPARSE_VERSION                                                                           \
    (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)
#define CUSPARSEAPI

struct cusparseContext;
typedef struct cusparseContext *cusparseHandle_t;
struct cusparseMatDescr;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
struct cusparseSpVecDescr;
struct cusparseDnVecDescr;
struct cusparseSpMatDescr;
struct cusparseDnMatDescr;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
struct cusparseSpSVDescr;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
struct cusparseSpSMDescr;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
struct cusparseSpGEMMDescr;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
struct csrilu02Info;
typedef struct csrilu02Info *csrilu02Info_t;
struct csric02Info;
typedef struct csric02Info *csric02Info_t;

typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_ARCH_MISMATCH = 4,
    CUSPARSE_STATUS_MAPPING_ERROR = 5,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_INTERNAL_ERROR = 7,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    CUSPARSE_STATUS_ZERO_PIVOT = 9,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 } cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum {
    CUSPARSE_MATRIX_TYPE_GENERAL = 0,
    CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
    CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
    CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
    CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
    CUSPARSE_OPERATION_TRANSPOSE = 1,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;
typedef enum {
    CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0,
    CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1
} cusparseSolvePolicy_t;
typedef enum {
    CUSPARSE_CSR2CSC_ALG_DEFAULT = 1,
    CUSPARSE_CSR2CSC_ALG1 = 1
} cusparseCsr2CscAlg_t;
typedef enum {
    CUSPARSE_FORMAT_CSR = 1,
    CUSPARSE_FORMAT_CSC = 2,
    CUSPARSE_FORMAT_COO = 3,
    CUSPARSE_FORMAT_BLOCKED_ELL = 5,
    CUSPARSE_FORMAT_BSR = 6,
    CUSPARSE_FORMAT_SLICED_ELLPACK = 7
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
    CUSPARSE_INDEX_16U = 1,
    CUSPARSE_INDEX_32I = 2,
    CUSPARSE_INDEX_64I = 3
} cusparseIndexType_t;
typedef enum {
    CUSPARSE_SPMAT_FILL_MODE = 0,
    CUSPARSE_SPMAT_DIAG_TYPE = 1
} cusparseSpMatAttribute_t;
typedef enum {
    CUSPARSE_SPMV_ALG_DEFAULT = 0,
    CUSPARSE_SPMV_COO_ALG1 = 1,
    CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2 = 3,
    CUSPARSE_SPMV_COO_ALG2 = 4,
    CUSPARSE_SPMV_SELL_ALG1 = 5,
    CUSPARSE_SPMV_BSR_ALG1 = 6
} cusparseSpMVAlg_t;
typedef enum {
    CUSPARSE_SPMM_ALG_DEFAULT = 0,
    CUSPARSE_SPMM_COO_ALG1 = 1,
    CUSPARSE_SPMM_COO_ALG2 = 2,
    CUSPARSE_SPMM_COO_ALG3 = 3,
    CUSPARSE_SPMM_CSR_ALG1 = 4,
    CUSPARSE_SPMM_COO_ALG4 = 5,
    CUSPARSE_SPMM_CSR_ALG2 = 6,
    CUSPARSE_SPMM_CSR_ALG3 = 12,
    CUSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13,
    CUSPARSE_SPMM_BSR_ALG1 = 14
} cusparseSpMMAlg_t;
typedef enum {
    CUSPARSE_SPGEMM_DEFAULT = 0,
    CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
    CUSPARSE_SPGEMM_CSR_ALG_DETERMINISTIC = 1,
    CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
    CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINISTIC = 2,
    CUSPARSE_SPGEMM_ALG1 = 3,
    CUSPARSE_SPGEMM_ALG2 = 4,
    CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;

#if defined(__cplusplus)
extern "C" {
#endif
// Handles, and descriptions of matrices for the functions of before.
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t mode);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t type);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

// Matrices and vectors of the generic API.
#define __warpsim_sparse(name, Constant, Descr, Pointer)                                           \
    cusparseStatus_t cusparseCreate##Constant##name(                                               \
        Descr *descr, int64_t rows, int64_t cols, int64_t nnz, Pointer offsets, Pointer indices,   \
        Pointer values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type,           \
        cusparseIndexBase_t base, cudaDataType type);
__warpsim_sparse(Csr, , cusparseSpMatDescr_t, void *)
__warpsim_sparse(Csc, , cusparseSpMatDescr_t, void *)
__warpsim_sparse(Csr, Const, cusparseConstSpMatDescr_t, const void *)
__warpsim_sparse(Csc, Const, cusparseConstSpMatDescr_t, const void *)
#undef __warpsim_sparse
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *descr, int64_t rows, int64_t cols,
                                   int64_t nnz, void *of_rows, void *of_columns, void *values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                   cudaDataType type);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *descr, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *of_rows,
                                        const void *of_columns, const void *values,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type);
cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t *descr, int64_t rows, int64_t cols,
                                          int64_t block, int64_t ell_cols, void *columns,
                                          void *values, cusparseIndexType_t index_type,
                                          cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descr);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descr, int64_t *rows,
                                      int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descr, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t descr,
                                           cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t descr, void **values);
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t descr, const void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t descr, void *values);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t descr,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t bytes);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t descr,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t bytes);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t descr, void *offsets, void *columns,
                                        void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t descr, void *offsets, void *rows,
                                        void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t descr, void *rows, void *columns,
                                        void *values);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *descr, int64_t size, void *values,
                                     cudaDataType type);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *descr, int64_t size,
                                          const void *values, cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descr);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t descr, void **values);
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t descr, const void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t descr, void *values);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *descr, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType type,
                                     cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *descr, int64_t rows,
                                          int64_t cols, int64_t ld, const void *values,
                                          cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descr);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t descr, void **values);
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t descr, const void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t descr, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descr, int count,
                                              int64_t stride);
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *descr, int64_t size, int64_t nnz,
                                     void *indices, void *values, cusparseIndexType_t index_type,
                                     cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *descr, int64_t size,
                                          int64_t nnz, const void *indices, const void *values,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                          cudaDataType type);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t descr);

// Products.
#define __warpsim_product(name, end)                                                               \
    cusparseStatus_t cusparse##name(cusparseHandle_t handle, cusparseOperation_t op,               \
                                    const void *alpha, cusparseConstSpMatDescr_t a,                \
                                    cusparseConstDnVecDescr_t x, const void *beta,                 \
                                    cusparseDnVecDescr_t y, cudaDataType type,                     \
                                    cusparseSpMVAlg_t algorithm, end);
__warpsim_product(SpMV_bufferSize, size_t *bytes)
__warpsim_product(SpMV_preprocess, void *buffer)
__warpsim_product(SpMV, void *buffer)
#undef __warpsim_product
#define __warpsim_product(name, end)                                                               \
    cusparseStatus_t cusparse##name(cusparseHandle_t handle, cusparseOperation_t op_a,             \
                                    cusparseOperation_t op_b, const void *alpha,                   \
                                    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,      \
                                    const void *beta, cusparseDnMatDescr_t c, cudaDataType type,   \
                                    cusparseSpMMAlg_t algorithm, end);
__warpsim_product(SpMM_bufferSize, size_t *bytes)
__warpsim_product(SpMM_preprocess, void *buffer)
__warpsim_product(SpMM, void *buffer)
#undef __warpsim_product
#define __warpsim_product(name, end)                                                               \
    cusparseStatus_t cusparse##name(cusparseHandle_t handle, cusparseOperation_t op_a,             \
                                    cusparseOperation_t op_b, const void *alpha,                   \
                                    cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,      \
                                    const void *beta, cusparseSpMatDescr_t c, cudaDataType type,   \
                                    cusparseSDDMMAlg_t algorithm, end);
__warpsim_product(SDDMM_bufferSize, size_t *bytes)
__warpsim_product(SDDMM_preprocess, void *buffer)
__warpsim_product(SDDMM, void *buffer)
#undef __warpsim_product
#define __warpsim_product(name, ...)                                                               \
    cusparseStatus_t cusparse##name(                                                               \
        cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,               \
        const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,               \
        const void *beta, cusparseSpMatDescr_t c, cudaDataType type,                               \
        cusparseSpGEMMAlg_t algorithm, cusparseSpGEMMDescr_t descr __VA_ARGS__);
__warpsim_product(SpGEMM_workEstimation, , size_t *bytes, void *buffer)
__warpsim_product(SpGEMM_compute, , size_t *bytes, void *buffer)
__warpsim_product(SpGEMM_copy)
#undef __warpsim_product
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr);

// Triangular systems.
#define __warpsim_solve(name, ...)                                                                 \
    cusparseStatus_t cusparse##name(cusparseHandle_t handle, cusparseOperation_t op,               \
                                    const void *alpha, cusparseConstSpMatDescr_t a,                \
                                    cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,           \
                                    cudaDataType type, cusparseSpSVAlg_t algorithm,                \
                                    cusparseSpSVDescr_t descr __VA_ARGS__);
__warpsim_solve(SpSV_bufferSize, , size_t *bytes)
__warpsim_solve(SpSV_analysis, , void *buffer)
__warpsim_solve(SpSV_solve)
#undef __warpsim_solve
#define __warpsim_solve(name, ...)                                                                 \
    cusparseStatus_t cusparse##name(cusparseHandle_t handle, cusparseOperation_t op_a,             \
                                    cusparseOperation_t op_b, const void *alpha,                   \
                                    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,      \
                                    cusparseDnMatDescr_t c, cudaDataType type,                     \
                                    cusparseSpSMAlg_t algorithm,                                   \
                                    cusparseSpSMDescr_t descr __VA_ARGS__);
__warpsim_solve(SpSM_bufferSize, , size_t *bytes)
__warpsim_solve(SpSM_analysis, , void *buffer)
__warpsim_solve(SpSM_solve)
#undef __warpsim_solve
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);

// Sparse vectors.
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t x, const void *beta,
                               cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s,
                             cusparseSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         const void *result, cudaDataType type, size_t *bytes);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void *result, cudaDataType type, void *buffer);

// Conversions.
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b,
                                                  cusparseSparseToDenseAlg_t algorithm,
                                                  size_t *bytes);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                       cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b,
                                                  cusparseDenseToSparseAlg_t algorithm,
                                                  size_t *bytes);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b,
                                                cusparseDenseToSparseAlg_t algorithm,
                                                void *buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                               cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b,
                                               cusparseDenseToSparseAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *of_rows, int nnz, int rows,
                                  int *offsets, cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int rows,
                                  int *of_rows, cusparseIndexBase_t base);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(
    cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *offsets,
    const int *columns, void *to_values, int *to_offsets, int *to_rows, cudaDataType type,
    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
    size_t *bytes);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
                                    const void *values, const int *offsets, const int *columns,
                                    void *to_values, int *to_offsets, int *to_rows,
                                    cudaDataType type, cusparseAction_t action,
                                    cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
                                    void *buffer);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *offsets, const int *columns,
                                                size_t *bytes);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descr, const int *offsets, int *columns,
                                  int *p, void *buffer);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *of_rows, const int *of_columns,
                                                size_t *bytes);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz,
                                       int *of_rows, int *of_columns, int *p, void *buffer);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz,
                                          int *of_rows, int *of_columns, int *p, void *buffer);

// Incomplete factors, tridiagonal systems, sums: declared, and not supported.
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *at);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *at);
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n,
                                      const cusparseMatDescr_t of_a, int nnz_a,
                                      const int *offsets_a, const int *columns_a,
                                      const cusparseMatDescr_t of_b, int nnz_b,
                                      const int *offsets_b, const int *columns_b,
                                      const cusparseMatDescr_t of_c, int *offsets_c, int *total,
                                      void *buffer);
#define __warpsim_factors(letter, T, kind, Info)                                                   \
    cusparseStatus_t cusparse##letter##kind##_bufferSize(                                          \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, T *values,        \
        const int *offsets, const int *columns, Info info, int *bytes);                            \
    cusparseStatus_t cusparse##letter##kind##_analysis(                                            \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, const T *values,  \
        const int *offsets, const int *columns, Info info, cusparseSolvePolicy_t policy,           \
        void *buffer);                                                                             \
    cusparseStatus_t cusparse##letter##kind(                                                       \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, T *values,        \
        const int *offsets, const int *columns, Info info, cusparseSolvePolicy_t policy,           \
        void *buffer);
#define __warpsim_typed(letter, T)                                                                 \
    __warpsim_factors(letter, T, csrilu02, csrilu02Info_t)                                         \
    __warpsim_factors(letter, T, csric02, csric02Info_t)                                           \
    cusparseStatus_t cusparse##letter##gtsv2_bufferSizeExt(                                        \
        cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du, const T *b,   \
        int ldb, size_t *bytes);                                                                   \
    cusparseStatus_t cusparse##letter##gtsv2(cusparseHandle_t handle, int m, int n, const T *dl,   \
                                             const T *d, const T *du, T *b, int ldb,               \
                                             void *buffer);                                        \
    cusparseStatus_t cusparse##letter##gtsv2_nopivot_bufferSizeExt(                                \
        cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du, const T *b,   \
        int ldb, size_t *bytes);                                                                   \
    cusparseStatus_t cusparse##letter##gtsv2_nopivot(cusparseHandle_t handle, int m, int n,        \
                                                     const T *dl, const T *d, const T *du, T *b,   \
                                                     int ldb, void *buffer);                       \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch_bufferSizeExt(                            \
        cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, const T *x,          \
        int count, int stride, size_t *bytes);                                                     \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch(                                          \
        cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, T *x, int count,     \
        int stride, void *buffer);                                                                 \
    cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t direction, \
                                           int m, int n, const cusparseMatDescr_t descr,           \
                                           const T *a, int lda, int *per_row, int *total);         \
    cusparseStatus_t cusparse##letter##csrgeam2_bufferSizeExt(                                     \
        cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t of_a,      \
        int nnz_a, const T *values_a, const int *offsets_a, const int *columns_a, const T *beta,   \
        const cusparseMatDescr_t of_b, int nnz_b, const T *values_b, const int *offsets_b,         \
        const int *columns_b, const cusparseMatDescr_t of_c, const T *values_c,                    \
        const int *offsets_c, const int *columns_c, size_t *bytes);                                \
    cusparseStatus_t cusparse##letter##csrgeam2(                                                   \
        cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t of_a,      \
        int nnz_a, const T *values_a, const int *offsets_a, const int *columns_a, const T *beta,   \
        const cusparseMatDescr_t of_b, int nnz_b, const T *values_b, const int *offsets_b,         \
        const int *columns_b, const cusparseMatDescr_t of_c, T *values_c, int *offsets_c,          \
        int *columns_c, void *buffer);
__warpsim_typed(S, float)
__warpsim_typed(D, double)
__warpsim_typed(C, cuComplex)
__warpsim_typed(Z, cuDoubleComplex)
#undef __warpsim_typed
#undef __warpsim_factors
#if defined(__cplusplus)
}
#endif
