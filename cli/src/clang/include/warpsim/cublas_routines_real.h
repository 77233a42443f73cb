// Routines of cuBLAS that real types alone have: see cublas_types.h.
#define WB(rest) cublasStatus_t __warpsim_blas_name(__warpsim_blas_letter, rest, \
    __warpsim_blas_end)
#define WB_I __warpsim_blas_int
#define WB_T __warpsim_blas_scalar
#define WB_FILL cublasFillMode_t uplo

WB(dot_v2)(cublasHandle_t handle, WB_I n, const WB_T *x, WB_I incx, const WB_T *y, WB_I incy,
    WB_T *result);
WB(rotm_v2)(cublasHandle_t handle, WB_I n, WB_T *x, WB_I incx, WB_T *y, WB_I incy,
    const WB_T *param);
WB(sbmv_v2)(cublasHandle_t handle, WB_FILL, WB_I n, WB_I k, const WB_T *alpha, const WB_T *A,
    WB_I lda, const WB_T *x, WB_I incx, const WB_T *beta, WB_T *y, WB_I incy);
WB(spmv_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *AP,
    const WB_T *x, WB_I incx, const WB_T *beta, WB_T *y, WB_I incy);
WB(ger_v2)(cublasHandle_t handle, WB_I m, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    const WB_T *y, WB_I incy, WB_T *A, WB_I lda);
WB(spr_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    WB_T *AP);
WB(spr2_v2)(cublasHandle_t handle, WB_FILL, WB_I n, const WB_T *alpha, const WB_T *x, WB_I incx,
    const WB_T *y, WB_I incy, WB_T *AP);
#if defined(__warpsim_blas_once)
WB(rotmg_v2)(cublasHandle_t handle, WB_T *d1, WB_T *d2, WB_T *x1, const WB_T *y1, WB_T *param);
#endif
WB(gemmGroupedBatched)(cublasHandle_t handle, const cublasOperation_t transa[],
    const cublasOperation_t transb[], const WB_I m[], const WB_I n[], const WB_I k[],
    const WB_T alpha[], const WB_T *const A[], const WB_I lda[], const WB_T *const B[],
    const WB_I ldb[], const WB_T beta[], WB_T *const C[], const WB_I ldc[], WB_I group_count,
    const WB_I group_size[]);

#undef WB
#undef WB_I
#undef WB_T
#undef WB_FILL
