// cuSPARSE: products of sparse matrices in three formats with vectors and matrices, compared with loops over the dense
// matrix; conversions; statuses. With `-DRACY` a kernel in another stream writes what a product reads.
#include <cstdio>
#include <cusparse.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        int code_ = (int)(call);                                                                                       \
        if (code_) return printf("line %d: %d\n", __LINE__, code_), 1;                                                 \
    } while (0)

template <class T> struct OnDevice {
    T *at = nullptr;
    size_t count;
    explicit OnDevice(const std::vector<T> &all) : count(all.size()) {
        cudaMalloc(&at, count * sizeof(T));
        cudaMemcpy(at, all.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~OnDevice() { cudaFree(at); }
    std::vector<T> host() const {
        std::vector<T> all(count);
        cudaMemcpy(all.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        return all;
    }
};

// Small whole numbers, so that sums are exact.
static double number(int i) { return (i * 7919 % 17) - 8; }
template <class T> static T value(int i);
template <> float value(int i) { return (float)number(i); }
template <> double value(int i) { return number(i); }
template <> cuComplex value(int i) { return make_cuComplex((float)number(i), (float)number(i + 5)); }
static float times(float a, float b) { return a * b; }
static double times(double a, double b) { return a * b; }
static cuComplex times(cuComplex a, cuComplex b) { return cuCmulf(a, b); }
static float plus(float a, float b) { return a + b; }
static double plus(double a, double b) { return a + b; }
static cuComplex plus(cuComplex a, cuComplex b) { return cuCaddf(a, b); }
static float conj(float a) { return a; }
static double conj(double a) { return a; }
static cuComplex conj(cuComplex a) { return cuConjf(a); }
static bool same(float a, float b) { return a == b; }
static bool same(double a, double b) { return a == b; }
static bool same(cuComplex a, cuComplex b) { return a.x == b.x && a.y == b.y; }

// A matrix of `rows` x `cols` with some entries, none in one row, in the format, by indices of type `I` from `base` on.
template <class T, class I>
static int product(cusparseHandle_t handle, cudaDataType type, cusparseFormat_t format, cusparseIndexType_t index_type,
                   int base, int op, int width, cusparseOrder_t order) {
    const int rows = 7, cols = 5;
    std::vector<T> full(rows * cols, T{}), values;
    std::vector<I> first, second, offsets;
    bool by_columns = format == CUSPARSE_FORMAT_CSC;
    int outer = by_columns ? cols : rows, inner = by_columns ? rows : cols;
    for (int i = 0; i < outer; i++) {
        offsets.push_back((I)(values.size() + base));
        for (int j = 0; j < inner; j++) {
            int row = by_columns ? j : i, col = by_columns ? i : j;
            if (row == 3 || (row * 5 + col * 3) % 4 == 0) continue;
            T v = value<T>(row * cols + col);
            full[row * cols + col] = v;
            first.push_back((I)(row + base));
            second.push_back((I)((by_columns ? row : col) + base));
            values.push_back(v);
        }
    }
    offsets.push_back((I)(values.size() + base));
    int m = op ? cols : rows, n = op ? rows : cols, nnz = (int)values.size();
    auto element = [&](int i, int j) { return op ? (op == 2 ? conj(full[j * cols + i]) : full[j * cols + i]) : full[i * cols + j]; };
    bool in_rows = order == CUSPARSE_ORDER_ROW;
    int ldb = (in_rows ? width : n) + 1, ldc = (in_rows ? width : m) + 2;
    std::vector<T> b((in_rows ? n : width) * ldb), c((in_rows ? m : width) * ldc);
    for (size_t i = 0; i < b.size(); i++) b[i] = value<T>(100 + (int)i);
    for (size_t i = 0; i < c.size(); i++) c[i] = value<T>(300 + (int)i);
    T alpha = value<T>(1), beta = value<T>(2);
    std::vector<T> wanted = c;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < width; k++) {
            T sum{};
            for (int j = 0; j < n; j++) sum = plus(sum, times(element(i, j), b[in_rows ? j * ldb + k : k * ldb + j]));
            T &to = wanted[in_rows ? i * ldc + k : k * ldc + i];
            to = plus(times(alpha, sum), times(beta, to));
        }
    OnDevice<I> d_first(format == CUSPARSE_FORMAT_COO ? first : offsets), d_second(second);
    OnDevice<T> d_values(values), d_b(b), d_c(c);
    cusparseSpMatDescr_t a;
    auto from = (cusparseIndexBase_t)base;
    if (format == CUSPARSE_FORMAT_CSR)
        CHECK(cusparseCreateCsr(&a, rows, cols, nnz, d_first.at, d_second.at, d_values.at, index_type, index_type, from, type));
    else if (format == CUSPARSE_FORMAT_CSC)
        CHECK(cusparseCreateCsc(&a, rows, cols, nnz, d_first.at, d_second.at, d_values.at, index_type, index_type, from, type));
    else
        CHECK(cusparseCreateCoo(&a, rows, cols, nnz, d_first.at, d_second.at, d_values.at, index_type, from, type));
    cusparseDnMatDescr_t db, dc;
    CHECK(cusparseCreateDnMat(&db, n, width, ldb, d_b.at, type, order));
    CHECK(cusparseCreateDnMat(&dc, m, width, ldc, d_c.at, type, order));
    size_t bytes = 0;
    void *buffer;
    auto operation = (cusparseOperation_t)op;
    CHECK(cusparseSpMM_bufferSize(handle, operation, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, db, &beta, dc, type, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
    CHECK(cudaMalloc(&buffer, bytes));
    CHECK(cusparseSpMM(handle, operation, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, db, &beta, dc, type, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    std::vector<T> got = d_c.host();
    for (size_t i = 0; i < got.size(); i++)
        if (!same(got[i], wanted[i])) return printf("format %d, base %d, operation %d, order %d: %d\n", format, base, op, order, (int)i), 1;

    // The same by vectors, with factors on the device; what was there counts for nothing where beta is 0.
    std::vector<T> x(n), y(m);
    for (int j = 0; j < n; j++) x[j] = value<T>(j + 40);
    OnDevice<T> d_x(x), d_y(y), factors(std::vector<T>{alpha, T{}});
    cusparseDnVecDescr_t dx, dy;
    CHECK(cusparseCreateDnVec(&dx, n, d_x.at, type));
    CHECK(cusparseCreateDnVec(&dy, m, d_y.at, type));
    CHECK(cudaMemset(d_y.at, 0xff, m * sizeof(T)));
    CHECK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
    CHECK(cusparseSpMV(handle, operation, factors.at, a, dx, factors.at + 1, dy, type, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    CHECK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
    got = d_y.host();
    for (int i = 0; i < m; i++) {
        T sum{};
        for (int j = 0; j < n; j++) sum = plus(sum, times(element(i, j), x[j]));
        if (!same(got[i], times(alpha, sum))) return printf("vector, operation %d: %d\n", op, i), 1;
    }
    CHECK(cudaFree(buffer));
    CHECK(cusparseDestroyDnVec(dx));
    CHECK(cusparseDestroyDnVec(dy));
    CHECK(cusparseDestroyDnMat(db));
    CHECK(cusparseDestroyDnMat(dc));
    CHECK(cusparseDestroySpMat(a));
    return 0;
}

static int conversions(cusparseHandle_t handle) {
    std::vector<int> of_rows{1, 1, 2, 4, 4, 4}, offsets{1, 3, 4, 4, 7};
    OnDevice<int> rows(of_rows), to(std::vector<int>(5)), back(std::vector<int>(6));
    CHECK(cusparseXcoo2csr(handle, rows.at, 6, 4, to.at, CUSPARSE_INDEX_BASE_ONE));
    CHECK(cusparseXcsr2coo(handle, to.at, 6, 4, back.at, CUSPARSE_INDEX_BASE_ONE));
    if (to.host() != offsets || back.host() != of_rows) return printf("conversions\n"), 1;
    return 0;
}

static int statuses(cusparseHandle_t handle) {
    cusparseDnVecDescr_t x, y;
    cusparseSpMatDescr_t a;
    cusparseSpGEMMDescr_t product;
    cusparseMatDescr_t description;
    float one = 1;
    CHECK(cusparseCreateDnVec(&x, 3, &one, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&y, 4, &one, CUDA_R_64F));
    CHECK(cusparseCreateCsr(&a, 4, 3, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    auto multiply = [&](cusparseHandle_t h, cusparseOperation_t op) {
        return cusparseSpMV(h, op, &one, a, x, &one, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    };
    if (multiply(nullptr, CUSPARSE_OPERATION_NON_TRANSPOSE) != CUSPARSE_STATUS_NOT_INITIALIZED) return printf("handle\n"), 1;
    if (multiply(handle, CUSPARSE_OPERATION_NON_TRANSPOSE) != CUSPARSE_STATUS_NOT_SUPPORTED) return printf("types\n"), 1;
    CHECK(cusparseDestroyDnVec(y));
    CHECK(cusparseCreateDnVec(&y, 4, &one, CUDA_R_32F));
    if (multiply(handle, CUSPARSE_OPERATION_TRANSPOSE) != CUSPARSE_STATUS_INVALID_VALUE) return printf("extents\n"), 1;
    if (cusparseSpGEMM_createDescr(&product) != CUSPARSE_STATUS_NOT_SUPPORTED) return printf("absent\n"), 1;
    CHECK(cusparseCreateMatDescr(&description));
    CHECK(cusparseSetMatIndexBase(description, CUSPARSE_INDEX_BASE_ONE));
    CHECK(cusparseSetMatFillMode(description, CUSPARSE_FILL_MODE_UPPER));
    if (cusparseGetMatIndexBase(description) != CUSPARSE_INDEX_BASE_ONE || cusparseGetMatFillMode(description) != CUSPARSE_FILL_MODE_UPPER) return printf("description\n"), 1;
    CHECK(cusparseDestroyMatDescr(description));
    CHECK(cusparseDestroyDnVec(x));
    CHECK(cusparseDestroyDnVec(y));
    CHECK(cusparseDestroySpMat(a));
    return cusparseDestroySpMat(a) != CUSPARSE_STATUS_INVALID_VALUE;
}

__global__ void fill(float *x) { x[threadIdx.x] = threadIdx.x; } // RACE

static int streams(cusparseHandle_t handle) {
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    std::vector<int> offsets{0, 1, 2, 3, 4}, columns{0, 1, 2, 3};
    OnDevice<int> d_offsets(offsets), d_columns(columns);
    OnDevice<float> values(std::vector<float>(4, 2)), x(std::vector<float>(4)), y(std::vector<float>(4));
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t dx, dy;
    CHECK(cusparseCreateCsr(&a, 4, 4, 4, d_offsets.at, d_columns.at, values.at, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&dx, 4, x.at, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&dy, 4, y.at, CUDA_R_32F));
    CHECK(cudaDeviceSynchronize());
    float one = 1, zero = 0;
    fill<<<1, 4, 0, first>>>(x.at);
#ifndef RACY
    CHECK(cudaStreamSynchronize(first));
#endif
    CHECK(cusparseSetStream(handle, second));
    CHECK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, dx, &zero, dy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    CHECK(cudaDeviceSynchronize());
#ifndef RACY
    if (y.host() != std::vector<float>{0, 2, 4, 6}) return printf("streams\n"), 1;
#endif
    CHECK(cusparseDestroyDnVec(dx));
    CHECK(cusparseDestroyDnVec(dy));
    CHECK(cusparseDestroySpMat(a));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return 0;
}

int main() {
    cusparseHandle_t handle;
    CHECK(cusparseCreate(&handle));
    for (auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
        for (int base : {0, 1})
            for (int op : {0, 1, 2})
                for (auto order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
                    if (product<float, int>(handle, CUDA_R_32F, format, CUSPARSE_INDEX_32I, base, op, 3, order)) return 1;
                    if (product<double, long long>(handle, CUDA_R_64F, format, CUSPARSE_INDEX_64I, base, op, 1, order)) return 1;
                    if (product<cuComplex, int>(handle, CUDA_C_32F, format, CUSPARSE_INDEX_32I, base, op, 2, order)) return 1;
                }
    if (conversions(handle) || statuses(handle) || streams(handle)) return 1;
    CHECK(cusparseDestroy(handle));
    printf("products are right\n");
    return 0;
}
