// Routines of cuBLAS that all four types have, for one of them and one size of integers: see
// cublas_types.h.
#define WB(rest) cublasStatus_t __warpsim_blas_name(__warpsim_blas_letter, rest, \
    __warpsim_blas_end)
#define WB_I __warpsim_blas_int
#define WB_T __warpsim_blas_scalar
#define WB_R __warpsim_blas_real
#define WB_FILL cublasFillMode_t uplo
#define WB_TRI cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag

WB(axpy_v2)(cublasHandle_t handle, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx, WB_T *y,
    WB_I incy);
WB(copy_v2)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, WB_T *y, WB_I incy);
WB(swap_v2)(cublasHandle_t handle, WB_I n, WB_T *x, WB_I incx, WB_T *y, WB_I incy);
WB(scal_v2)(cublasHandle_t handle, WB_I n, const WB_T *alpha, WB_T *x, WB_I incx);
WB(rot_v2)(cublasHandle_t handle, WB_I n, WB_T *x, WB_I incx, WB_T *y, WB_I incy, const WB_R *c,
    const WB_T *s);
cublasStatus_t __warpsim_blas_name(__warpsim_blas_norm, nrm2_v2,
    __warpsim_blas_end)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, WB_R *result);
cublasStatus_t __warpsim_blas_name(__warpsim_blas_norm, asum_v2,
    __warpsim_blas_end)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, WB_R *result);
cublasStatus_t __warpsim_blas_name(__warpsim_blas_index, amax_v2,
    __warpsim_blas_end)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, WB_I *result);
cublasStatus_t __warpsim_blas_name(__warpsim_blas_index, amin_v2,
    __warpsim_blas_end)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, WB_I *result);

WB(gemv_v2)(cublasHandle_t handle, cublasOperation_t trans, WB_I m, WB_I n, const WB_T *alpha,
    const WB_T *A, WB_I lda, const WB_T *x, WB_I incx, const WB_T *beta, WB_T *y, WB_I incy);
WB(gbmv_v2)(cublasHandle_t handle, cublasOperation_t trans, WB_I m, WB_I n, WB_I kl, WB_I ku,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *x, WB_I incx, const WB_T *beta,
    WB_T *y, WB_I incy);
WB(symv_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *A, WB_I lda,
    const WB_T *x, WB_I incx, const WB_T *beta, WB_T *y, WB_I incy);
WB(syr_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    WB_T *A, WB_I lda);
WB(syr2_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    const WB_T *y, WB_I incy, WB_T *A, WB_I lda);
WB(trmv_v2)(cublasHandle_t handle, WB_TRI, WB_I n, const WB_T *A, WB_I lda, WB_T *x, WB_I incx);
WB(tbmv_v2)(cublasHandle_t handle, WB_TRI, WB_I n, WB_I k, const WB_T *A, WB_I lda, WB_T *x,
    WB_I incx);
WB(tpmv_v2)(cublasHandle_t handle, WB_TRI, WB_I n, const WB_T *AP, WB_T *x, WB_I incx);
WB(trsv_v2)(cublasHandle_t handle, WB_TRI, WB_I n, const WB_T *A, WB_I lda, WB_T *x, WB_I incx);
WB(tbsv_v2)(cublasHandle_t handle, WB_TRI, WB_I n, WB_I k, const WB_T *A, WB_I lda, WB_T *x,
    WB_I incx);
WB(tpsv_v2)(cublasHandle_t handle, WB_TRI, WB_I n, const WB_T *AP, WB_T *x, WB_I incx);
WB(gemvBatched)(cublasHandle_t handle, cublasOperation_t trans, WB_I m, WB_I n, const WB_T *alpha,
    const WB_T *const A[], WB_I lda, const WB_T *const x[], WB_I incx, const WB_T *beta,
    WB_T *const y[], WB_I incy, WB_I batchCount);
WB(gemvStridedBatched)(cublasHandle_t handle, cublasOperation_t trans, WB_I m, WB_I n,
    const WB_T *alpha, const WB_T *A, WB_I lda, long long strideA, const WB_T *x, WB_I incx,
    long long stridex, const WB_T *beta, WB_T *y, WB_I incy, long long stridey, WB_I batchCount);

WB(gemm_v2)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, WB_I m,
    WB_I n, WB_I k, const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb,
    const WB_T *beta, WB_T *C, WB_I ldc);
WB(symm_v2)(cublasHandle_t handle, cublasSideMode_t side, WB_FILL, WB_I m, WB_I n,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb, const WB_T *beta,
    WB_T *C, WB_I ldc);
WB(syrk_v2)(cublasHandle_t handle, WB_FILL, cublasOperation_t trans, WB_I n, WB_I k,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *beta, WB_T *C, WB_I ldc);
WB(syr2k_v2)(cublasHandle_t handle, WB_FILL, cublasOperation_t trans, WB_I n, WB_I k,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb, const WB_T *beta,
    WB_T *C, WB_I ldc);
WB(syrkx)(cublasHandle_t handle, WB_FILL, cublasOperation_t trans, WB_I n, WB_I k,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb, const WB_T *beta,
    WB_T *C, WB_I ldc);
WB(trmm_v2)(cublasHandle_t handle, cublasSideMode_t side, WB_TRI, WB_I m, WB_I n,
    const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *B, WB_I ldb, WB_T *C, WB_I ldc);
WB(trsm_v2)(cublasHandle_t handle, cublasSideMode_t side, WB_TRI, WB_I m, WB_I n,
    const WB_T *alpha, const WB_T *A, WB_I lda, WB_T *B, WB_I ldb);
WB(geam)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, WB_I m,
    WB_I n, const WB_T *alpha, const WB_T *A, WB_I lda, const WB_T *beta, const WB_T *B, WB_I ldb,
    WB_T *C, WB_I ldc);
WB(dgmm)(cublasHandle_t handle, cublasSideMode_t mode, WB_I m, WB_I n, const WB_T *A, WB_I lda,
    const WB_T *x, WB_I incx, WB_T *C, WB_I ldc);
WB(gemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, WB_I m,
    WB_I n, WB_I k, const WB_T *alpha, const WB_T *const A[], WB_I lda, const WB_T *const B[],
    WB_I ldb, const WB_T *beta, WB_T *const C[], WB_I ldc, WB_I batchCount);
WB(gemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    WB_I m, WB_I n, WB_I k, const WB_T *alpha, const WB_T *A, WB_I lda, long long strideA,
    const WB_T *B, WB_I ldb, long long strideB, const WB_T *beta, WB_T *C, WB_I ldc,
    long long strideC, WB_I batchCount);
WB(trsmBatched)(cublasHandle_t handle, cublasSideMode_t side, WB_TRI, WB_I m, WB_I n,
    const WB_T *alpha, const WB_T *const A[], WB_I lda, WB_T *const B[], WB_I ldb, WB_I batchCount);

#if defined(__warpsim_blas_once)
WB(rotg_v2)(cublasHandle_t handle, WB_T *a, WB_T *b, WB_R *c, WB_T *s);
WB(tpttr)(cublasHandle_t handle, WB_FILL, int n, const WB_T *AP, WB_T *A, int lda);
WB(trttp)(cublasHandle_t handle, WB_FILL, int n, const WB_T *A, int lda, WB_T *AP);
WB(getrfBatched)(cublasHandle_t handle, int n, WB_T *const A[], int lda, int *P, int *info,
    int batchSize);
WB(getriBatched)(cublasHandle_t handle, int n, const WB_T *const A[], int lda, const int *P,
    WB_T *const C[], int ldc, int *info, int batchSize);
WB(getrsBatched)(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
    const WB_T *const A[], int lda, const int *P, WB_T *const B[], int ldb, int *info,
    int batchSize);
WB(matinvBatched)(cublasHandle_t handle, int n, const WB_T *const A[], int lda, WB_T *const C[],
    int ldc, int *info, int batchSize);
WB(geqrfBatched)(cublasHandle_t handle, int m, int n, WB_T *const A[], int lda, WB_T *const Tau[],
    int *info, int batchSize);
WB(gelsBatched)(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,
    WB_T *const A[], int lda, WB_T *const C[], int ldc, int *info, int *infos, int batchSize);
#endif

#undef WB
#undef WB_I
#undef WB_T
#undef WB_R
#undef WB_FILL
#undef WB_TRI
