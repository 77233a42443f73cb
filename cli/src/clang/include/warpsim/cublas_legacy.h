// The routines of cublas.h, each over the one with a handle, for all four types.
#define WB_VOID static inline void
#define WB_OP __warpsim_blas_op
#define WB_FILL __warpsim_blas_fill(uplo)
#define WB_TRI __warpsim_blas_fill(uplo), __warpsim_blas_op(trans), __warpsim_blas_diag(diag)
#define WB_SIDE __warpsim_blas_side(side)
#define WB_DO __warpsim_blas_do
#define WB_AT __warpsim_blas_h

// Of all types: letter, type, type of sums, letters of norms and of indices.
#define WB_ALL(L, T, R, N, X) \
    WB_VOID cublas##L##scal(int n, T alpha, T *x, int incx) { WB_DO(cublas##L##scal_v2(WB_AT, n, \
        &alpha, x, incx)); } \
    WB_VOID cublas##L##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) { \
        WB_DO(cublas##L##axpy_v2(WB_AT, n, &alpha, x, incx, y, incy)); \
    } \
    WB_VOID cublas##L##copy(int n, const T *x, int incx, T *y, int incy) { \
        WB_DO(cublas##L##copy_v2(WB_AT, n, x, incx, y, incy)); \
    } \
    WB_VOID cublas##L##swap(int n, T *x, int incx, T *y, int incy) { \
        WB_DO(cublas##L##swap_v2(WB_AT, n, x, incx, y, incy)); \
    } \
    static inline R cublas##N##nrm2(int n, const T *x, int incx) { \
        R result = 0; \
        WB_DO(cublas##N##nrm2_v2(WB_AT, n, x, incx, &result)); \
        return result; \
    } \
    static inline R cublas##N##asum(int n, const T *x, int incx) { \
        R result = 0; \
        WB_DO(cublas##N##asum_v2(WB_AT, n, x, incx, &result)); \
        return result; \
    } \
    static inline int cublas##X##amax(int n, const T *x, int incx) { \
        int result = 0; \
        WB_DO(cublas##X##amax_v2(WB_AT, n, x, incx, &result)); \
        return result; \
    } \
    static inline int cublas##X##amin(int n, const T *x, int incx) { \
        int result = 0; \
        WB_DO(cublas##X##amin_v2(WB_AT, n, x, incx, &result)); \
        return result; \
    } \
    WB_VOID cublas##L##rot(int n, T *x, int incx, T *y, int incy, R c, T s) { \
        WB_DO(cublas##L##rot_v2(WB_AT, n, x, incx, y, incy, &c, &s)); \
    } \
    WB_VOID cublas##L##gemv(char trans, int m, int n, T alpha, const T *A, int lda, const T *x, \
        int incx, T beta, \
                            T *y, int incy) { \
        WB_DO(cublas##L##gemv_v2(WB_AT, WB_OP(trans), m, n, &alpha, A, lda, x, incx, &beta, y, \
            incy)); \
    } \
    WB_VOID cublas##L##gbmv(char trans, int m, int n, int kl, int ku, T alpha, const T *A, \
        int lda, const T *x, \
                            int incx, T beta, T *y, int incy) { \
        WB_DO(cublas##L##gbmv_v2(WB_AT, WB_OP(trans), m, n, kl, ku, &alpha, A, lda, x, incx, \
            &beta, y, incy)); \
    } \
    WB_VOID cublas##L##trmv(char uplo, char trans, char diag, int n, const T *A, int lda, T *x, \
        int incx) { \
        WB_DO(cublas##L##trmv_v2(WB_AT, WB_TRI, n, A, lda, x, incx)); \
    } \
    WB_VOID cublas##L##tbmv(char uplo, char trans, char diag, int n, int k, const T *A, int lda, \
        T *x, int incx) { \
        WB_DO(cublas##L##tbmv_v2(WB_AT, WB_TRI, n, k, A, lda, x, incx)); \
    } \
    WB_VOID cublas##L##tpmv(char uplo, char trans, char diag, int n, const T *AP, T *x, \
        int incx) { \
        WB_DO(cublas##L##tpmv_v2(WB_AT, WB_TRI, n, AP, x, incx)); \
    } \
    WB_VOID cublas##L##trsv(char uplo, char trans, char diag, int n, const T *A, int lda, T *x, \
        int incx) { \
        WB_DO(cublas##L##trsv_v2(WB_AT, WB_TRI, n, A, lda, x, incx)); \
    } \
    WB_VOID cublas##L##tbsv(char uplo, char trans, char diag, int n, int k, const T *A, int lda, \
        T *x, int incx) { \
        WB_DO(cublas##L##tbsv_v2(WB_AT, WB_TRI, n, k, A, lda, x, incx)); \
    } \
    WB_VOID cublas##L##tpsv(char uplo, char trans, char diag, int n, const T *AP, T *x, \
        int incx) { \
        WB_DO(cublas##L##tpsv_v2(WB_AT, WB_TRI, n, AP, x, incx)); \
    } \
    WB_VOID cublas##L##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *A, \
        int lda, const T *B, \
                            int ldb, T beta, T *C, int ldc) { \
        WB_DO(cublas##L##gemm_v2(WB_AT, WB_OP(transa), WB_OP(transb), m, n, k, &alpha, A, lda, \
            B, ldb, &beta, C, \
                                 ldc)); \
    } \
    WB_VOID cublas##L##syrk(char uplo, char trans, int n, int k, T alpha, const T *A, int lda, \
        T beta, T *C, \
                            int ldc) { \
        WB_DO(cublas##L##syrk_v2(WB_AT, WB_FILL, WB_OP(trans), n, k, &alpha, A, lda, &beta, C, \
            ldc)); \
    } \
    WB_VOID cublas##L##syr2k(char uplo, char trans, int n, int k, T alpha, const T *A, int lda, \
        const T *B, int ldb, \
                             T beta, T *C, int ldc) { \
        WB_DO(cublas##L##syr2k_v2(WB_AT, WB_FILL, WB_OP(trans), n, k, &alpha, A, lda, B, ldb, \
            &beta, C, ldc)); \
    } \
    WB_VOID cublas##L##symm(char side, char uplo, int m, int n, T alpha, const T *A, int lda, \
        const T *B, int ldb, \
                            T beta, T *C, int ldc) { \
        WB_DO(cublas##L##symm_v2(WB_AT, WB_SIDE, WB_FILL, m, n, &alpha, A, lda, B, ldb, &beta, \
            C, ldc)); \
    } \
    WB_VOID cublas##L##trmm(char side, char uplo, char trans, char diag, int m, int n, T alpha, \
        const T *A, int lda, \
                            T *B, int ldb) { \
        WB_DO(cublas##L##trmm_v2(WB_AT, WB_SIDE, WB_TRI, m, n, &alpha, A, lda, B, ldb, B, ldb)); \
    } \
    WB_VOID cublas##L##trsm(char side, char uplo, char trans, char diag, int m, int n, T alpha, \
        const T *A, int lda, \
                            T *B, int ldb) { \
        WB_DO(cublas##L##trsm_v2(WB_AT, WB_SIDE, WB_TRI, m, n, &alpha, A, lda, B, ldb)); \
    }
WB_ALL(S, float, float, S, Is)
WB_ALL(D, double, double, D, Id)
WB_ALL(C, cuComplex, float, Sc, Ic)
WB_ALL(Z, cuDoubleComplex, double, Dz, Iz)
#undef WB_ALL

// Products of two vectors.
#define WB_DOT(L, T, dot) \
    static inline T cublas##L##dot(int n, const T *x, int incx, const T *y, int incy) { \
        T result; \
        memset(&result, 0, sizeof(result)); \
        WB_DO(cublas##L##dot##_v2(WB_AT, n, x, incx, y, incy, &result)); \
        return result; \
    }
#include <string.h>
WB_DOT(S, float, dot)
WB_DOT(D, double, dot)
WB_DOT(C, cuComplex, dotu)
WB_DOT(C, cuComplex, dotc)
WB_DOT(Z, cuDoubleComplex, dotu)
WB_DOT(Z, cuDoubleComplex, dotc)
#undef WB_DOT

// Symmetric matrices and, under other names, Hermitian ones: type, its scalars in updates by one
// vector.
#define WB_KIND(L, T, R, B, mv, bmv, pmv, r, pr, r2, pr2) \
    WB_VOID cublas##L##bmv(char uplo, int n, int k, T alpha, const T *A, int lda, const T *x, \
        int incx, T beta, T *y, \
                           int incy) { \
        WB_DO(cublas##L##bmv##_v2(WB_AT, WB_FILL, n, k, &alpha, A, lda, x, incx, &beta, y, incy)); \
    } \
    WB_VOID cublas##L##pmv(char uplo, int n, T alpha, const T *AP, const T *x, int incx, T beta, \
        T *y, int incy) { \
        WB_DO(cublas##L##pmv##_v2(WB_AT, WB_FILL, n, &alpha, AP, x, incx, &beta, y, incy)); \
    } \
    WB_VOID cublas##L##mv(char uplo, int n, T alpha, const T *A, int lda, const T *x, int incx, \
        T beta, T *y, \
                          int incy) { \
        WB_DO(cublas##L##mv##_v2(WB_AT, WB_FILL, n, &alpha, A, lda, x, incx, &beta, y, incy)); \
    } \
    WB_VOID cublas##L##r(char uplo, int n, R alpha, const T *x, int incx, T *A, int lda) { \
        WB_DO(cublas##L##r##_v2(WB_AT, WB_FILL, n, &alpha, x, incx, A, lda)); \
    } \
    WB_VOID cublas##L##pr(char uplo, int n, R alpha, const T *x, int incx, T *AP) { \
        WB_DO(cublas##L##pr##_v2(WB_AT, WB_FILL, n, &alpha, x, incx, AP)); \
    } \
    WB_VOID cublas##L##r2(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, \
        T *A, int lda) { \
        WB_DO(cublas##L##r2##_v2(WB_AT, WB_FILL, n, &alpha, x, incx, y, incy, A, lda)); \
    } \
    WB_VOID cublas##L##pr2(char uplo, int n, T alpha, const T *x, int incx, const T *y, \
        int incy, T *AP) { \
        WB_DO(cublas##L##pr2##_v2(WB_AT, WB_FILL, n, &alpha, x, incx, y, incy, AP)); \
    }
WB_KIND(S, float, float, S, symv, sbmv, spmv, syr, spr, syr2, spr2)
WB_KIND(D, double, double, D, symv, sbmv, spmv, syr, spr, syr2, spr2)
WB_KIND(C, cuComplex, float, Cs, hemv, hbmv, hpmv, her, hpr, her2, hpr2)
WB_KIND(Z, cuDoubleComplex, double, Zd, hemv, hbmv, hpmv, her, hpr, her2, hpr2)
#undef WB_KIND

#define WB_GER(L, T, ger) \
    WB_VOID cublas##L##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, \
        T *A, int lda) { \
        WB_DO(cublas##L##ger##_v2(WB_AT, m, n, &alpha, x, incx, y, incy, A, lda)); \
    }
WB_GER(S, float, ger)
WB_GER(D, double, ger)
WB_GER(C, cuComplex, geru)
WB_GER(C, cuComplex, gerc)
WB_GER(Z, cuDoubleComplex, geru)
WB_GER(Z, cuDoubleComplex, gerc)
#undef WB_GER

#define WB_REAL(L, T) \
    WB_VOID cublas##L##rotg(T *a, T *b, T *c, T *s) { WB_DO(cublas##L##rotg_v2(WB_AT, a, b, c, \
        s)); } \
    WB_VOID cublas##L##rotm(int n, T *x, int incx, T *y, int incy, const T *param) { \
        WB_DO(cublas##L##rotm_v2(WB_AT, n, x, incx, y, incy, param)); \
    } \
    WB_VOID cublas##L##rotmg(T *d1, T *d2, T *x1, const T *y1, T *param) { \
        WB_DO(cublas##L##rotmg_v2(WB_AT, d1, d2, x1, y1, param)); \
    }
WB_REAL(S, float)
WB_REAL(D, double)
#undef WB_REAL

#define WB_COMPLEX(L, M, T, R) \
    WB_VOID cublas##M##scal(int n, R alpha, T *x, int incx) { WB_DO(cublas##M##scal_v2(WB_AT, n, \
        &alpha, x, incx)); } \
    WB_VOID cublas##M##rot(int n, T *x, int incx, T *y, int incy, R c, R s) { \
        WB_DO(cublas##M##rot_v2(WB_AT, n, x, incx, y, incy, &c, &s)); \
    } \
    WB_VOID cublas##L##rotg(T *a, T b, R *c, T *s) { WB_DO(cublas##L##rotg_v2(WB_AT, a, &b, c, \
        s)); } \
    WB_VOID cublas##L##hemm(char side, char uplo, int m, int n, T alpha, const T *A, int lda, \
        const T *B, int ldb, \
                            T beta, T *C, int ldc) { \
        WB_DO(cublas##L##hemm_v2(WB_AT, WB_SIDE, WB_FILL, m, n, &alpha, A, lda, B, ldb, &beta, \
            C, ldc)); \
    } \
    WB_VOID cublas##L##herk(char uplo, char trans, int n, int k, R alpha, const T *A, int lda, \
        R beta, T *C, \
                            int ldc) { \
        WB_DO(cublas##L##herk_v2(WB_AT, WB_FILL, WB_OP(trans), n, k, &alpha, A, lda, &beta, C, \
            ldc)); \
    } \
    WB_VOID cublas##L##her2k(char uplo, char trans, int n, int k, T alpha, const T *A, int lda, \
        const T *B, int ldb, \
                             R beta, T *C, int ldc) { \
        WB_DO(cublas##L##her2k_v2(WB_AT, WB_FILL, WB_OP(trans), n, k, &alpha, A, lda, B, ldb, \
            &beta, C, ldc)); \
    }
WB_COMPLEX(C, Cs, cuComplex, float)
WB_COMPLEX(Z, Zd, cuDoubleComplex, double)
#undef WB_COMPLEX

#undef WB_VOID
#undef WB_OP
#undef WB_FILL
#undef WB_TRI
#undef WB_SIDE
#undef WB_DO
#undef WB_AT
