// Routines of cuBLAS that complex types alone have: see cublas_types.h.
#define WB(rest) cublasStatus_t __warpsim_blas_name(__warpsim_blas_letter, rest, \
    __warpsim_blas_end)
#define WB_I __warpsim_blas_int
#define WB_T __warpsim_blas_scalar
#define WB_R __warpsim_blas_real
#define WB_FILL cublasFillMode_t uplo

WB(dotu_v2)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, const WB_T *y, WB_I incy,
    WB_T *result);
WB(dotc_v2)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, const WB_T *y, WB_I incy,
    WB_T *result);
cublasStatus_t __warpsim_blas_name(__warpsim_blas_mixed, scal_v2,
    __warpsim_blas_end)(cublasHandle_t handle, WB_I n, const WB_R *alpha, WB_T *x, WB_I incx);
cublasStatus_t __warpsim_blas_name(__warpsim_blas_mixed, rot_v2,
    __warpsim_blas_end)(cublasHandle_t handle, WB_I n, WB_T *x, WB_I incx, WB_T *y, WB_I incy,
    const WB_R *c, const WB_R *s);
WB(hemv_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *A, WB_I lda,
    const WB_T *x, WB_I incx, const WB_T *beta, WB_T *y, WB_I incy);
WB(hbmv_v2)(cublasHandle_t handle, WB_FILL, WB_I n, WB_I k, const WB_T *alpha, const WB_T *A,
    WB_I lda, const WB_T *x, WB_I incx, const WB_T *beta, WB_T *y, WB_I incy);
WB(hpmv_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *AP,
    const WB_T *x, WB_I incx, const WB_T *beta, WB_T *y, WB_I incy);
WB(geru_v2)(cublasHandle_t handle, WB_I m, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    const WB_T *y, WB_I incy, WB_T *A, WB_I lda);
WB(gerc_v2)(cublasHandle_t handle, WB_I m, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    const WB_T *y, WB_I incy, WB_T *A, WB_I lda);
WB(her_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_R *alpha, const WB_T *x, WB_I incx,
    WB_T *A, WB_I lda);
WB(hpr_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_R *alpha, const WB_T *x, WB_I incx,
    WB_T *AP);
WB(her2_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    const WB_T *y, WB_I incy, WB_T *A, WB_I lda);
WB(hpr2_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    const WB_T *y, WB_I incy, WB_T *AP);
WB(gemm3m)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, WB_I m,
    WB_I n, WB_I k, const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb,
    const WB_T *beta, WB_T *C, WB_I ldc);
WB(hemm_v2)(cublasHandle_t handle, cublasSideMode_t side, WB_FILL, WB_I m, WB_I n,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb, const WB_T *beta,
    WB_T *C, WB_I ldc);
WB(herk_v2)(cublasHandle_t handle, WB_FILL, cublasOperation_t trans, WB_I n, WB_I k,
    const WB_R *alpha, const WB_T *A, WB_I lda, const WB_R *beta, WB_T *C, WB_I ldc);
WB(her2k_v2)(cublasHandle_t handle, WB_FILL, cublasOperation_t trans, WB_I n, WB_I k,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb, const WB_R *beta,
    WB_T *C, WB_I ldc);
WB(herkx)(cublasHandle_t handle, WB_FILL, cublasOperation_t trans, WB_I n, WB_I k,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb, const WB_R *beta,
    WB_T *C, WB_I ldc);

#undef WB
#undef WB_I
#undef WB_T
#undef WB_R
#undef WB_FILL
