// The API of cuBLAS without handles.
#include <cublas.h>
#include <cstdio>
#include <cstring>

int main() {
    if (cublasInit() != CUBLAS_STATUS_SUCCESS)
        return 2;
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[4] = {1, 0, 2, 1};
    float c[6] = {0};
    float *da, *db, *dc;
    cublasAlloc(6, sizeof(float), (void **)&da);
    cublasAlloc(4, sizeof(float), (void **)&db);
    cublasAlloc(6, sizeof(float), (void **)&dc);
    cublasSetMatrix(3, 2, sizeof(float), a, 3, da, 3);
    cublasSetVector(4, sizeof(float), b, 1, db, 1);
    cublasSgemm('n', 'N', 3, 2, 2, 2, da, 3, db, 2, 0, dc, 3);
    cublasGetMatrix(3, 2, sizeof(float), dc, 3, c, 3);
    // 2 A B: the columns of A are (1 2 3) and (4 5 6), those of B (1 0) and (2 1).
    const float wanted[6] = {2, 4, 6, 12, 18, 24};
    bool is_right = memcmp(c, wanted, sizeof(c)) == 0;
    is_right = is_right && cublasGetError() == CUBLAS_STATUS_SUCCESS;
    is_right = is_right && cublasSdot(4, db, 1, db, 1) == 6 && cublasIsamax(6, da, 1) == 6;
    cublasSgemm('x', 'n', 3, 2, 2, 2, da, 3, db, 2, 0, dc, 3);
    is_right = is_right && cublasGetError() == CUBLAS_STATUS_INVALID_VALUE;
    is_right = is_right && cublasGetError() == CUBLAS_STATUS_SUCCESS;
    cublasFree(da);
    cublasFree(db);
    cublasFree(dc);
    cublasShutdown();
    puts(is_right ? "right" : "wrong");
    return !is_right;
}
