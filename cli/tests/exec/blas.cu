// cuBLAS as programs use it, against loops of the host over small integers, whose sums are exact.
// Says what is wrong, and how many things were looked at. With RACY a kernel in another stream
// writes what a product reads; with ABSENT something is asked for that is not supported.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

static int looked, wrong;
#define SAME(a, b) same(__LINE__, (a) == (b))
#define GOOD(call) SAME(call, CUBLAS_STATUS_SUCCESS)
static void same(int line, bool is_so) {
    looked++;
    if (!is_so && ++wrong < 20)
        printf("line %d\n", line);
}

template <typename T> struct Device {
    T *at;
    size_t count;
    explicit Device(const std::vector<T> &from) : count(from.size()) {
        cudaMalloc((void **)&at, count * sizeof(T));
        cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Device() { cudaFree(at); }
    std::vector<T> get() const {
        std::vector<T> all(count);
        cudaMemcpy(all.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        return all;
    }
};

// Small integers, each another one.
template <typename T> std::vector<T> some(size_t count, int seed) {
    std::vector<T> all(count);
    for (size_t i = 0; i < count; i++)
        all[i] = T((int)((i * 7 + seed) % 11) - 5);
    return all;
}

static void levels(cublasHandle_t h) {
    const int n = 13;
    auto x = some<float>(3 * n, 1), y = some<float>(2 * n, 4);
    Device<float> dx(x), dy(y);
    float alpha = 3, result = 0, dot = 0;
    for (int i = 0; i < n; i++)
        dot += x[3 * i] * y[2 * (n - 1 - i)];
    // Every third element, and every second from the end.
    GOOD(cublasSdot(h, n, dx.at, 3, dy.at, -2, &result));
    SAME(result, dot);
    GOOD(cublasSaxpy(h, n, &alpha, dx.at, 3, dy.at, 2));
    auto sum = dy.get();
    for (int i = 0; i < n; i++) {
        SAME(sum[2 * i], alpha * x[3 * i] + y[2 * i]);
        SAME(sum[2 * i + 1], y[2 * i + 1]);
    }
    int index = 0;
    Device<float> dz({1, -9, 9, 2});
    GOOD(cublasIsamax(h, 4, dz.at, 1, &index));
    SAME(index, 2);
    GOOD(cublasSasum(h, 4, dz.at, 1, &result));
    SAME(result, 21);

    // A matrix in a larger one; what lies between its columns stays.
    const int m = 5, k = 4, ld = 7;
    auto a = some<float>(ld * k, 2), v = some<float>(k, 3), w = some<float>(m, 5);
    Device<float> da(a), dv(v), dw(w);
    float beta = 2;
    GOOD(cublasSgemv(h, CUBLAS_OP_N, m, k, &alpha, da.at, ld, dv.at, 1, &beta, dw.at, 1));
    auto got = dw.get();
    for (int i = 0; i < m; i++) {
        float sum = beta * w[i];
        for (int j = 0; j < k; j++)
            sum += alpha * a[j * ld + i] * v[j];
        SAME(got[i], sum);
    }
    float zero = 0, one = 1;
    auto c = std::vector<float>(ld * k, NAN);
    Device<float> dc(c), db(a);
    GOOD(cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, k, k, m, &one, da.at, ld, db.at, ld, &zero,
        dc.at, ld));
    got = dc.get();
    for (int j = 0; j < k; j++)
        for (int i = 0; i < ld; i++) {
            float sum = 0;
            for (int l = 0; l < m; l++)
                sum += i < k ? a[i * ld + l] * a[j * ld + l] : 0;
            same(__LINE__, i < k ? got[j * ld + i] == sum : std::isnan(got[j * ld + i]));
        }
    // The triangle alone, and back.
    Device<float> dt({2, 3, 5, NAN, 1, 4, NAN, NAN, 2}), dr({2, 4, 6});
    GOOD(cublasStrsv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, dt.at, 3,
        dr.at, 1));
    got = dr.get();
    SAME(got[0], 1);
    SAME(got[1], 1);
    SAME(got[2], -1.5);

    using Z = std::complex<double>;
    Device<Z> za({{1, 2}, {3, -1}}), zb({{0, 1}, {2, 2}});
    cuDoubleComplex r;
    GOOD(cublasZdotc(h, 2, (cuDoubleComplex *)za.at, 1, (cuDoubleComplex *)zb.at, 1, &r));
    Z wanted = std::conj(Z(1, 2)) * Z(0, 1) + std::conj(Z(3, -1)) * Z(2, 2);
    SAME(r.x, wanted.real());
    SAME(r.y, wanted.imag());
}

static void modes(cublasHandle_t h) {
    Device<float> x({1, 2, 3, 4}), scalars({10, 0});
    cublasPointerMode_t mode;
    GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    GOOD(cublasGetPointerMode(h, &mode));
    SAME(mode, CUBLAS_POINTER_MODE_DEVICE);
    GOOD(cublasSscal(h, 4, scalars.at, x.at, 1));
    GOOD(cublasSdot(h, 4, x.at, 1, x.at, 1, scalars.at + 1));
    SAME(scalars.get()[1], 3000);
    GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    // Managed memory is of both.
    float *managed;
    cudaMallocManaged((void **)&managed, 3 * sizeof(float));
    managed[0] = 2, managed[1] = 3, managed[2] = 0.5;
    GOOD(cublasSscal(h, 2, &managed[2], managed, 1));
    cudaDeviceSynchronize();
    SAME(managed[1], 1.5f);
    cudaFree(managed);
}

static void statuses(cublasHandle_t h) {
    Device<float> a(std::vector<float>(16));
    float one = 1;
    auto gemm = [&](cublasHandle_t h, cublasOperation_t op, int m, int lda, const float *alpha) {
        return cublasSgemm(h, op, CUBLAS_OP_N, m, 2, 2, alpha, a.at, lda, a.at, 2, &one, a.at,
            m > 1 ? m : 1);
    };
    SAME(gemm(nullptr, CUBLAS_OP_N, 2, 2, &one), CUBLAS_STATUS_NOT_INITIALIZED);
    SAME(gemm(h, CUBLAS_OP_N, -1, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
    SAME(gemm(h, CUBLAS_OP_N, 3, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
    SAME(gemm(h, (cublasOperation_t)7, 2, 2, &one), CUBLAS_STATUS_INVALID_VALUE);
    SAME(gemm(h, CUBLAS_OP_N, 2, 2, nullptr), CUBLAS_STATUS_INVALID_VALUE);
    SAME(gemm(h, CUBLAS_OP_N, 0, 2, &one), CUBLAS_STATUS_SUCCESS);
    SAME(cublasSgemv(h, CUBLAS_OP_N, 2, 2, &one, a.at, 2, a.at, 0, &one, a.at, 1),
        CUBLAS_STATUS_INVALID_VALUE);
    SAME(cublasSetVector(4, 4, &one, 0, a.at, 1), CUBLAS_STATUS_INVALID_VALUE);
    SAME(cublasSetPointerMode(h, (cublasPointerMode_t)2), CUBLAS_STATUS_INVALID_VALUE);
    SAME(cublasCreate(nullptr), CUBLAS_STATUS_INVALID_VALUE);
    int version = 0, part = -1;
    GOOD(cublasGetVersion(h, &version));
    GOOD(cublasGetProperty(MAJOR_VERSION, &part));
    SAME(version / 10000, part);
    SAME(version, CUBLAS_VERSION);
    SAME(strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED"),
        0);
    cudaStream_t stream, asked;
    cudaStreamCreate(&stream);
    GOOD(cublasSetStream(h, stream));
    GOOD(cublasGetStream(h, &asked));
    SAME(asked, stream);
    GOOD(cublasSetStream(h, nullptr));
    cudaStreamDestroy(stream);
}

static void batches(cublasHandle_t h) {
    const int n = 3, count = 4;
    auto a = some<double>(n * n * count, 1), b = some<double>(n * n * count, 6);
    Device<double> da(a), db(b), dc(std::vector<double>(n * n * count)),
        de(std::vector<double>(n * n * count));
    std::vector<double *> of_a, of_b, of_e;
    for (int i = 0; i < count; i++)
        of_a.push_back(da.at + i * n * n), of_b.push_back(db.at + i * n * n),
            of_e.push_back(de.at + i * n * n);
    Device<double *> la(of_a), lb(of_b), le(of_e);
    double one = 1, zero = 0;
    GOOD(cublasDgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, da.at, n, n * n,
        db.at, n, n * n, &zero,
                                   dc.at, n, n * n, count));
    GOOD(cublasDgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, la.at, n, lb.at, n, &zero,
        le.at, n, count));
    auto c = dc.get(), e = de.get();
    for (int p = 0; p < count; p++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int l = 0; l < n; l++)
                    sum += a[p * n * n + l * n + i] * b[p * n * n + l * n + j];
                SAME(c[p * n * n + j * n + i], sum);
                SAME(e[p * n * n + j * n + i], sum);
            }
    // Factors, and what they solve.
    Device<double> dm({4, 2, 2, 3}), dx({8, 7});
    Device<double *> lm({dm.at}), lx({dx.at});
    Device<int> pivots({0, 0}), infos({9});
    int info = 9;
    GOOD(cublasDgetrfBatched(h, 2, lm.at, 2, pivots.at, infos.at, 1));
    SAME(infos.get()[0], 0);
    GOOD(cublasDgetrsBatched(h, CUBLAS_OP_N, 2, 1, (const double *const *)lm.at, 2, pivots.at,
        lx.at, 2, &info, 1));
    SAME(info, 0);
    SAME(dx.get()[0], 1.25);
    SAME(dx.get()[1], 1.5);
}

static void types(cublasHandle_t h) {
    const int n = 8;
    auto a = some<float>(n * n, 1), b = some<float>(n * n, 5);
    std::vector<__half> ha, hb;
    std::vector<signed char> ia, ib;
    for (int i = 0; i < n * n; i++)
        ha.push_back(__float2half(a[i])), hb.push_back(__float2half(b[i])), ia.push_back(a[i]),
            ib.push_back(b[i]);
    Device<__half> da(ha), db(hb), dh(std::vector<__half>(n * n));
    Device<float> dc(std::vector<float>(n * n, NAN));
    Device<signed char> ja(ia), jb(ib);
    Device<int> dj(std::vector<int>(n * n));
    float one = 1, zero = 0;
    int ione = 1, izero = 0;
    auto ex = [&](void *c, cudaDataType type, cublasComputeType_t compute) {
        bool is_int = compute == CUBLAS_COMPUTE_32I;
        return cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, is_int ? (void *)&ione : &one,
                            is_int ? (void *)ja.at : da.at, is_int ? CUDA_R_8I : CUDA_R_16F, n,
                            is_int ? (void *)jb.at : db.at, is_int ? CUDA_R_8I : CUDA_R_16F, n,
                            is_int ? (void *)&izero : &zero, c, type, n, compute,
                                CUBLAS_GEMM_DEFAULT);
    };
    GOOD(ex(dc.at, CUDA_R_32F, CUBLAS_COMPUTE_32F));
    GOOD(ex(dh.at, CUDA_R_16F, CUBLAS_COMPUTE_32F));
    GOOD(ex(dj.at, CUDA_R_32I, CUBLAS_COMPUTE_32I));
    SAME(ex(dc.at, CUDA_R_64F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
    auto c = dc.get();
    auto half = dh.get();
    auto whole = dj.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            float sum = 0;
            for (int l = 0; l < n; l++)
                sum += a[l * n + i] * b[j * n + l];
            SAME(c[j * n + i], sum);
            SAME(__half2float(half[j * n + i]), sum);
            SAME(whole[j * n + i], (int)sum);
        }
}

static void lt() {
    const int m = 3, n = 4, k = 2;
    auto a = some<float>(m * k, 1), b = some<float>(k * n, 4), bias = some<float>(m, 2);
    Device<float> da(a), db(b), dd(std::vector<float>(m * n)), dbias(bias);
    cublasLtHandle_t h;
    GOOD(cublasLtCreate(&h));
    cublasLtMatmulDesc_t product;
    GOOD(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    GOOD(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
        sizeof(epilogue)));
    GOOD(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias.at,
        sizeof(dbias.at)));
    cublasLtMatrixLayoutOpaque_t of_a;
    cublasLtMatrixLayout_t of_b, of_d;
    GOOD(cublasLtMatrixLayoutInit(&of_a, CUDA_R_32F, m, k, k));
    // A lies by rows.
    cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
    GOOD(cublasLtMatrixLayoutSetAttribute(&of_a, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
        sizeof(order)));
    GOOD(cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, k, n, k));
    GOOD(cublasLtMatrixLayoutCreate(&of_d, CUDA_R_32F, m, n, m));
    uint64_t rows = 0;
    size_t written = 0;
    GOOD(cublasLtMatrixLayoutGetAttribute(&of_a, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof(rows),
        &written));
    SAME(rows, m);
    SAME(written, 8);
    cublasLtMatmulPreference_t preference;
    GOOD(cublasLtMatmulPreferenceCreate(&preference));
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    GOOD(cublasLtMatmulAlgoGetHeuristic(h, product, &of_a, of_b, of_d, of_d, preference, 1,
        &found, &count));
    SAME(count, 1);
    float one = 1, zero = 0;
    GOOD(cublasLtMatmul(h, product, &one, da.at, &of_a, db.at, of_b, &zero, dd.at, of_d, dd.at,
        of_d, &found.algo,
                        nullptr, 0, 0));
    auto d = dd.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = bias[i];
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[j * k + l];
            SAME(d[j * m + i], sum > 0 ? sum : 0);
        }
#ifdef ABSENT
    epilogue = CUBLASLT_EPILOGUE_BGRADA;
    GOOD(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
        sizeof(epilogue)));
    SAME(cublasLtMatmul(h, product, &one, da.at, &of_a, db.at, of_b, &zero, dd.at, of_d, dd.at,
        of_d, nullptr, nullptr,
                        0, 0),
         CUBLAS_STATUS_NOT_SUPPORTED);
#endif
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(of_b);
    cublasLtMatrixLayoutDestroy(of_d);
    cublasLtMatmulDescDestroy(product);
    GOOD(cublasLtDestroy(h));
}

// A stream that is captured gets the product, which each launch of the graph does anew.
static void graphs(cublasHandle_t h) {
    Device<float> x({1, 2}), y({0, 0});
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    GOOD(cublasSetStream(h, stream));
    float two = 2;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    GOOD(cublasSaxpy(h, 2, &two, x.at, 1, y.at, 1));
    cudaStreamEndCapture(stream, &graph);
    SAME(y.get()[1], 0);
    cudaGraphInstantiate(&instance, graph, 0);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(instance, stream);
    cudaStreamSynchronize(stream);
    SAME(y.get()[1], 12);
    GOOD(cublasSetStream(h, nullptr));
    cudaGraphExecDestroy(instance);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

__global__ void fill(float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = i % 7;
}

static void streams(cublasHandle_t h) {
    const int n = 16;
    Device<float> a(std::vector<float>(n * n)), b(std::vector<float>(n * n, 1)),
        c(std::vector<float>(n * n));
    cudaStream_t one, two;
    cudaEvent_t filled;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreate(&filled);
    fill<<<n, n, 0, one>>>(a.at, n * n);
#ifndef RACY
    cudaEventRecord(filled, one);
    cudaStreamWaitEvent(two, filled, 0);
#endif
    float alpha = 1, beta = 0;
    cublasSetStream(h, two);
    const auto as_is = CUBLAS_OP_N;
    GOOD(cublasSgemm(h, as_is, as_is, n, n, n, &alpha, a.at, n, b.at, n, &beta, c.at, n)); // RACE
    cudaStreamSynchronize(two);
    cudaStreamSynchronize(one);
    cublasSetStream(h, nullptr);
    cudaEventDestroy(filled);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

int main() {
    cublasHandle_t h;
    GOOD(cublasCreate(&h));
    levels(h);
    modes(h);
    statuses(h);
    batches(h);
    types(h);
    lt();
    graphs(h);
    streams(h);
    GOOD(cublasDestroy(h));
    SAME(cublasDestroy(h), CUBLAS_STATUS_NOT_INITIALIZED);
    printf("%d wrong of %d\n", wrong, looked);
    return wrong != 0;
}
