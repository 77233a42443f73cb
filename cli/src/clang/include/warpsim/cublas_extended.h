// Routines of cuBLAS whose types are arguments or in their names, and copies, for one size of
// integers: see cublas_types.h.
#define WB __warpsim_blas_any
#define WB_I __warpsim_blas_int
#define WB_H __half
#define WB_B16 __nv_bfloat16

WB(SetVector)(WB_I n, WB_I elemSize, const void *x, WB_I incx, void *y, WB_I incy);
WB(GetVector)(WB_I n, WB_I elemSize, const void *x, WB_I incx, void *y, WB_I incy);
WB(SetMatrix)(WB_I rows, WB_I cols, WB_I elemSize, const void *A, WB_I lda, void *B, WB_I ldb);
WB(GetMatrix)(WB_I rows, WB_I cols, WB_I elemSize, const void *A, WB_I lda, void *B, WB_I ldb);
WB(SetVectorAsync)(WB_I n, WB_I elemSize, const void *x, WB_I incx, void *y, WB_I incy,
    cudaStream_t stream);
WB(GetVectorAsync)(WB_I n, WB_I elemSize, const void *x, WB_I incx, void *y, WB_I incy,
    cudaStream_t stream);
WB(SetMatrixAsync)(WB_I rows, WB_I cols, WB_I elemSize, const void *A, WB_I lda, void *B,
    WB_I ldb, cudaStream_t stream);
WB(GetMatrixAsync)(WB_I rows, WB_I cols, WB_I elemSize, const void *A, WB_I lda, void *B,
    WB_I ldb, cudaStream_t stream);

WB(Nrm2Ex)(cublasHandle_t handle, WB_I n, const void *x, cudaDataType xType, WB_I incx,
    void *result, cudaDataType resultType, cudaDataType executionType);
WB(AsumEx)(cublasHandle_t handle, WB_I n, const void *x, cudaDataType xType, WB_I incx,
    void *result, cudaDataType resultType, cudaDataType executionType);
WB(DotEx)(cublasHandle_t handle, WB_I n, const void *x, cudaDataType xType, WB_I incx,
    const void *y, cudaDataType yType, WB_I incy, void *result, cudaDataType resultType,
    cudaDataType executionType);
WB(DotcEx)(cublasHandle_t handle, WB_I n, const void *x, cudaDataType xType, WB_I incx,
    const void *y, cudaDataType yType, WB_I incy, void *result, cudaDataType resultType,
    cudaDataType executionType);
WB(ScalEx)(cublasHandle_t handle, WB_I n, const void *alpha, cudaDataType alphaType, void *x,
    cudaDataType xType, WB_I incx, cudaDataType executionType);
WB(AxpyEx)(cublasHandle_t handle, WB_I n, const void *alpha, cudaDataType alphaType,
    const void *x, cudaDataType xType, WB_I incx, void *y, cudaDataType yType, WB_I incy,
    cudaDataType executionType);
WB(CopyEx)(cublasHandle_t handle, WB_I n, const void *x, cudaDataType xType, WB_I incx, void *y,
    cudaDataType yType, WB_I incy);
WB(SwapEx)(cublasHandle_t handle, WB_I n, void *x, cudaDataType xType, WB_I incx, void *y,
    cudaDataType yType, WB_I incy);
WB(IamaxEx)(cublasHandle_t handle, WB_I n, const void *x, cudaDataType xType, WB_I incx,
    WB_I *result);
WB(IaminEx)(cublasHandle_t handle, WB_I n, const void *x, cudaDataType xType, WB_I incx,
    WB_I *result);
WB(RotEx)(cublasHandle_t handle, WB_I n, void *x, cudaDataType xType, WB_I incx, void *y,
    cudaDataType yType, WB_I incy, const void *c, const void *s, cudaDataType csType,
    cudaDataType executionType);
WB(RotmEx)(cublasHandle_t handle, WB_I n, void *x, cudaDataType xType, WB_I incx, void *y,
    cudaDataType yType, WB_I incy, const void *param, cudaDataType paramType,
    cudaDataType executionType);

#define WB_GEMV_LISTS(X, Y) (cublasHandle_t handle, cublasOperation_t trans, WB_I m, WB_I n, \
    const float *alpha, const X *const A[], WB_I lda, const X *const x[], WB_I incx, \
    const float *beta, Y *const y[], WB_I incy, WB_I batchCount)
#define WB_GEMV_STRIDES(X, Y) (cublasHandle_t handle, cublasOperation_t trans, WB_I m, WB_I n, \
    const float *alpha, const X *A, WB_I lda, long long strideA, const X *x, WB_I incx, \
    long long stridex, const float *beta, Y *y, WB_I incy, long long stridey, WB_I batchCount)
WB(HSHgemvBatched) WB_GEMV_LISTS(WB_H, WB_H);
WB(HSSgemvBatched) WB_GEMV_LISTS(WB_H, float);
WB(TSTgemvBatched) WB_GEMV_LISTS(WB_B16, WB_B16);
WB(TSSgemvBatched) WB_GEMV_LISTS(WB_B16, float);
WB(HSHgemvStridedBatched) WB_GEMV_STRIDES(WB_H, WB_H);
WB(HSSgemvStridedBatched) WB_GEMV_STRIDES(WB_H, float);
WB(TSTgemvStridedBatched) WB_GEMV_STRIDES(WB_B16, WB_B16);
WB(TSSgemvStridedBatched) WB_GEMV_STRIDES(WB_B16, float);
#undef WB_GEMV_LISTS
#undef WB_GEMV_STRIDES

#define WB_SIZES cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
    WB_I m, WB_I n, WB_I k
WB(Hgemm)(WB_SIZES, const WB_H *alpha, const WB_H *A, WB_I lda, const WB_H *B, WB_I ldb,
    const WB_H *beta, WB_H *C, WB_I ldc);
WB(HgemmBatched)(WB_SIZES, const WB_H *alpha, const WB_H *const A[], WB_I lda,
    const WB_H *const B[], WB_I ldb, const WB_H *beta, WB_H *const C[], WB_I ldc, WB_I batchCount);
WB(HgemmStridedBatched)(WB_SIZES, const WB_H *alpha, const WB_H *A, WB_I lda, long long strideA,
    const WB_H *B, WB_I ldb, long long strideB, const WB_H *beta, WB_H *C, WB_I ldc,
    long long strideC, WB_I batchCount);
WB(SgemmEx)(WB_SIZES, const float *alpha, const void *A, cudaDataType Atype, WB_I lda,
    const void *B, cudaDataType Btype, WB_I ldb, const float *beta, void *C, cudaDataType Ctype,
    WB_I ldc);
WB(CgemmEx)(WB_SIZES, const cuComplex *alpha, const void *A, cudaDataType Atype, WB_I lda,
    const void *B, cudaDataType Btype, WB_I ldb, const cuComplex *beta, void *C,
    cudaDataType Ctype, WB_I ldc);
WB(Cgemm3mEx)(WB_SIZES, const cuComplex *alpha, const void *A, cudaDataType Atype, WB_I lda,
    const void *B, cudaDataType Btype, WB_I ldb, const cuComplex *beta, void *C,
    cudaDataType Ctype, WB_I ldc);
WB(Cgemm3mBatched)(WB_SIZES, const cuComplex *alpha, const cuComplex *const A[], WB_I lda,
    const cuComplex *const B[], WB_I ldb, const cuComplex *beta, cuComplex *const C[], WB_I ldc,
    WB_I batchCount);
WB(Cgemm3mStridedBatched)(WB_SIZES, const cuComplex *alpha, const cuComplex *A, WB_I lda,
    long long strideA, const cuComplex *B, WB_I ldb, long long strideB, const cuComplex *beta,
    cuComplex *C, WB_I ldc, long long strideC, WB_I batchCount);
WB(GemmEx)(WB_SIZES, const void *alpha, const void *A, cudaDataType Atype, WB_I lda,
    const void *B, cudaDataType Btype, WB_I ldb, const void *beta, void *C, cudaDataType Ctype,
    WB_I ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
WB(GemmBatchedEx)(WB_SIZES, const void *alpha, const void *const A[], cudaDataType Atype,
    WB_I lda, const void *const B[], cudaDataType Btype, WB_I ldb, const void *beta,
    void *const C[], cudaDataType Ctype, WB_I ldc, WB_I batchCount,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo);
WB(GemmStridedBatchedEx)(WB_SIZES, const void *alpha, const void *A, cudaDataType Atype, WB_I lda,
    long long strideA, const void *B, cudaDataType Btype, WB_I ldb, long long strideB,
    const void *beta, void *C, cudaDataType Ctype, WB_I ldc, long long strideC, WB_I batchCount,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo);
WB(GemmGroupedBatchedEx)(cublasHandle_t handle, const cublasOperation_t transa[],
    const cublasOperation_t transb[], const WB_I m[], const WB_I n[], const WB_I k[],
    const void *alpha, const void *const A[], cudaDataType Atype, const WB_I lda[],
    const void *const B[], cudaDataType Btype, const WB_I ldb[], const void *beta,
    void *const C[], cudaDataType Ctype, const WB_I ldc[], WB_I group_count,
    const WB_I group_size[], cublasComputeType_t computeType);
#undef WB_SIZES

#define WB_UPDATE(S) (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
    WB_I n, WB_I k, const S *alpha, const void *A, cudaDataType Atype, WB_I lda, const S *beta, \
    void *C, cudaDataType Ctype, WB_I ldc)
WB(CsyrkEx) WB_UPDATE(cuComplex);
WB(Csyrk3mEx) WB_UPDATE(cuComplex);
WB(CherkEx) WB_UPDATE(float);
WB(Cherk3mEx) WB_UPDATE(float);
#undef WB_UPDATE

#if defined(__warpsim_blas_once)
WB(RotgEx)(cublasHandle_t handle, void *a, void *b, cudaDataType abType, void *c, void *s,
    cudaDataType csType, cudaDataType executionType);
WB(RotmgEx)(cublasHandle_t handle, void *d1, cudaDataType d1Type, void *d2, cudaDataType d2Type,
    void *x1, cudaDataType x1Type, const void *y1, cudaDataType y1Type, void *param,
    cudaDataType paramType, cudaDataType executionType);
WB(Uint8gemmBias)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    cublasOperation_t transc, int m, int n, int k, const unsigned char *A, int A_bias, int lda,
    const unsigned char *B, int B_bias, int ldb, unsigned char *C, int C_bias, int ldc,
    int C_mult, int C_shift);
#endif

#undef WB
#undef WB_I
#undef WB_H
#undef WB_B16
