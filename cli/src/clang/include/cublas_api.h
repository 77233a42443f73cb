// cuBLAS (cuBLAS documentation, version 12.9): types, enumerators and functions by their own
// names, for C and C++. The command is the library that has them; routines by types are in
// warpsim/cublas_routines.h.
//
// Not supported: cublasUint8gemmBias, grouped products, cublasRotmEx, cublasRotgEx, cublasRotmgEx.
// They are declared and answer CUBLAS_STATUS_NOT_SUPPORTED.
#if !defined(CUBLAS_API_H_)
#define CUBLAS_API_H_
#pragma GCC system_header
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <cuComplex.h>
#include <stdint.h>
#if defined(__cplusplus)
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#else
typedef struct __half __half;
typedef struct __nv_bfloat16 __nv_bfloat16;
#endif

#if !defined(CUBLASWINAPI)
#define CUBLASWINAPI
#endif
#if !defined(CUBLASAPI)
#define CUBLASAPI
#endif

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 9
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8,
        CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15, CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
    CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

#define __warpsim_ten(m, end, first) \
    CUBLAS_GEMM_ALGO##m##0##end = first + m##0, CUBLAS_GEMM_ALGO##m##1##end, \
        CUBLAS_GEMM_ALGO##m##2##end, \
    CUBLAS_GEMM_ALGO##m##3##end, CUBLAS_GEMM_ALGO##m##4##end, CUBLAS_GEMM_ALGO##m##5##end
typedef enum {
    CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1, CUBLAS_GEMM_ALGO2, CUBLAS_GEMM_ALGO3,
        CUBLAS_GEMM_ALGO4,
    CUBLAS_GEMM_ALGO5, CUBLAS_GEMM_ALGO6, CUBLAS_GEMM_ALGO7, CUBLAS_GEMM_ALGO8, CUBLAS_GEMM_ALGO9,
    __warpsim_ten(1, , 0),
    CUBLAS_GEMM_ALGO16 = 16, CUBLAS_GEMM_ALGO17, CUBLAS_GEMM_ALGO18, CUBLAS_GEMM_ALGO19,
        CUBLAS_GEMM_ALGO20,
    CUBLAS_GEMM_ALGO21, CUBLAS_GEMM_ALGO22, CUBLAS_GEMM_ALGO23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100, CUBLAS_GEMM_ALGO1_TENSOR_OP, CUBLAS_GEMM_ALGO2_TENSOR_OP,
    CUBLAS_GEMM_ALGO3_TENSOR_OP, CUBLAS_GEMM_ALGO4_TENSOR_OP, CUBLAS_GEMM_ALGO5_TENSOR_OP,
    CUBLAS_GEMM_ALGO6_TENSOR_OP, CUBLAS_GEMM_ALGO7_TENSOR_OP, CUBLAS_GEMM_ALGO8_TENSOR_OP,
    CUBLAS_GEMM_ALGO9_TENSOR_OP, __warpsim_ten(1, _TENSOR_OP, 100)
} cublasGemmAlgo_t;
#undef __warpsim_ten

typedef enum {
    CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3, CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef cudaDataType cublasDataType_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73, CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78
} cublasComputeType_t;
typedef enum {
    CUBLAS_EMULATION_STRATEGY_DEFAULT = 0, CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
    CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;

struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
typedef void (*cublasLogCallback)(const char *message);

#if defined(__cplusplus)
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *count);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count);
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle,
    cublasEmulationStrategy_t *strategy);
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle,
    cublasEmulationStrategy_t strategy);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasLoggerConfigure(int is_on, int to_output, int to_error, const char *file);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback function);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *function);
void cublasXerbla(const char *name, int info);

#define __warpsim_blas_int int
#define __warpsim_blas_end
#define __warpsim_blas_once
#include "warpsim/cublas_types.h"
#undef __warpsim_blas_once
#undef __warpsim_blas_int
#undef __warpsim_blas_end
#define __warpsim_blas_int int64_t
#define __warpsim_blas_end _64
#include "warpsim/cublas_types.h"
#undef __warpsim_blas_int
#undef __warpsim_blas_end

#if defined(__cplusplus)
}

// Programs of before CUDA 11 say what to compute with as a type of elements.
static inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t handle, cudaDataType type,
                                                      cublasComputeType_t *compute) {
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    cublasStatus_t status = cublasGetMathMode(handle, &mode);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    int base = type == CUDA_R_32F || type == CUDA_C_32F   ? CUBLAS_COMPUTE_32F
               : type == CUDA_R_64F || type == CUDA_C_64F ? CUBLAS_COMPUTE_64F
               : type == CUDA_R_16F                       ? CUBLAS_COMPUTE_16F
               : type == CUDA_R_32I                       ? CUBLAS_COMPUTE_32I
                                                          : 0;
    if (base == 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    // Each has its pedantic one right behind it.
    *compute = (cublasComputeType_t)(base + ((mode & 15) == CUBLAS_PEDANTIC_MATH));
    return CUBLAS_STATUS_SUCCESS;
}

#define __warpsim_blas_migrated(name, parameters, ...) \
    static inline cublasStatus_t name parameters { \
        cublasComputeType_t compute = CUBLAS_COMPUTE_32F; \
        cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute); \
        return status != CUBLAS_STATUS_SUCCESS ? status : name(__VA_ARGS__, compute, algo); \
    }
__warpsim_blas_migrated(cublasGemmEx,
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
        int k, const void *alpha,
     const void *A, cudaDataType Atype, int lda, const void *B, cudaDataType Btype, int ldb,
         const void *beta, void *C,
     cudaDataType Ctype, int ldc, cudaDataType type, cublasGemmAlgo_t algo),
    handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc)
__warpsim_blas_migrated(cublasGemmBatchedEx,
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
        int k, const void *alpha,
     const void *const A[], cudaDataType Atype, int lda, const void *const B[],
         cudaDataType Btype, int ldb,
     const void *beta, void *const C[], cudaDataType Ctype, int ldc, int batchCount,
         cudaDataType type,
     cublasGemmAlgo_t algo),
    handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
        batchCount)
__warpsim_blas_migrated(cublasGemmStridedBatchedEx,
    (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
        int k, const void *alpha,
     const void *A, cudaDataType Atype, int lda, long long strideA, const void *B,
         cudaDataType Btype, int ldb,
     long long strideB, const void *beta, void *C, cudaDataType Ctype, int ldc, long long strideC,
         int batchCount,
     cudaDataType type, cublasGemmAlgo_t algo),
    handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb, strideB, beta,
        C, Ctype, ldc,
    strideC, batchCount)
#undef __warpsim_blas_migrated
#endif
#endif
