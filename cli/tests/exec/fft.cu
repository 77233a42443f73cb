// cuFFT: transforms in one, two and three dimensions, of complex and real numbers, many at once, in layouts of the
// program's, in streams; compared with the sums that define them. With `-DRACY` a kernel reads a result without
// waiting for the transform's stream, which has to be found.
#include <cmath>
#include <cstdio>
#include <cufft.h>
#include <cufftXt.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        int code_ = (int)(call);                                                                                       \
        if (code_) return printf("line %d: %d\n", __LINE__, code_), 1;                                                 \
    } while (0)

struct Value {
    double re, im;
};

// One element of a transform of `n[0]` x `n[1]` x `n[2]` numbers.
static Value element(const std::vector<Value> &all, const int *n, int x, int y, int z, int sign) {
    Value sum{0, 0};
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++) {
                double turns = (double)(i * x % n[0]) / n[0] + (double)(j * y % n[1]) / n[1] + (double)(k * z % n[2]) / n[2];
                double a = sign * 2 * M_PI * turns, c = cos(a), s = sin(a);
                Value v = all[(i * n[1] + j) * n[2] + k];
                sum.re += v.re * c - v.im * s, sum.im += v.re * s + v.im * c;
            }
    return sum;
}

static double noise(unsigned i) { return ((i * 2654435761u >> 8) % 2001) / 1000.0 - 1.0; }

static bool near(double a, double b, double most) { return fabs(a - b) <= most * (1 + fabs(b)); }

template <class Complex, class Real> static int complexes(cufftType type, int rank, const int *n, double most) {
    int all[3] = {1, 1, 1}, count = 1;
    for (int i = 0; i < rank; i++) all[3 - rank + i] = n[i], count *= n[i];
    std::vector<Value> values(count);
    std::vector<Complex> host(count);
    for (int i = 0; i < count; i++) {
        values[i] = {noise(2 * i), noise(2 * i + 1)};
        host[i].x = (Real)values[i].re, host[i].y = (Real)values[i].im;
        values[i] = {host[i].x, host[i].y};
    }
    Complex *device;
    cufftHandle plan;
    CHECK(cudaMalloc(&device, count * sizeof(Complex)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(Complex), cudaMemcpyHostToDevice));
    if (rank == 1) CHECK(cufftPlan1d(&plan, n[0], type, 1));
    if (rank == 2) CHECK(cufftPlan2d(&plan, n[0], n[1], type));
    if (rank == 3) CHECK(cufftPlan3d(&plan, n[0], n[1], n[2], type));
    for (int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        CHECK(cudaMemcpy(device, host.data(), count * sizeof(Complex), cudaMemcpyHostToDevice));
        CHECK(cufftXtExec(plan, device, device, direction));
        std::vector<Complex> got(count);
        CHECK(cudaMemcpy(got.data(), device, count * sizeof(Complex), cudaMemcpyDeviceToHost));
        for (int i = 0; i < count; i++) {
            int x = i / all[2] / all[1], y = i / all[2] % all[1], z = i % all[2];
            Value right = element(values, all, x, y, z, direction);
            if (!near(got[i].x, right.re, most) || !near(got[i].y, right.im, most))
                return printf("%d dimensions, %d: %g %g\n", rank, i, (double)got[i].x, right.re), 1;
        }
    }
    CHECK(cufftDestroy(plan));
    CHECK(cudaFree(device));
    return 0;
}

// Real numbers there and back, in one piece of memory with room in each row, three at once.
static int reals(int rows, int width) {
    int half = width / 2 + 1, n[2] = {rows, width}, each = rows * 2 * half, batch = 3;
    std::vector<float> host(batch * each, 77), got(batch * each);
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < width; j++) host[b * each + i * 2 * half + j] = (float)noise(b * 1000 + i * width + j);
    float *device;
    cufftHandle there, back;
    size_t bytes = host.size() * sizeof(float), area = 0;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cufftPlanMany(&there, 2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_R2C, batch));
    CHECK(cufftCreate(&back));
    CHECK(cufftMakePlanMany(back, 2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2R, batch, &area));
    CHECK(cufftExecR2C(there, device, (cufftComplex *)device));
    CHECK(cudaMemcpy(got.data(), device, bytes, cudaMemcpyDeviceToHost));
    int all[3] = {1, rows, width};
    for (int b = 0; b < batch; b++) {
        std::vector<Value> values;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < width; j++) values.push_back({host[b * each + i * 2 * half + j], 0});
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < half; j++) {
                Value right = element(values, all, 0, i, j, -1);
                const float *is = &got[b * each + 2 * (i * half + j)];
                if (!near(is[0], right.re, 1e-5) || !near(is[1], right.im, 1e-5)) return printf("real %d %d\n", i, j), 1;
            }
    }
    CHECK(cufftExecC2R(back, (cufftComplex *)device, device));
    CHECK(cudaMemcpy(got.data(), device, bytes, cudaMemcpyDeviceToHost));
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < width; j++) {
                int at = b * each + i * 2 * half + j;
                if (!near(got[at] / (rows * width), host[at], 1e-5)) return printf("back %d %d\n", i, j), 1;
            }
    CHECK(cufftDestroy(there));
    CHECK(cufftDestroy(back));
    CHECK(cudaFree(device));
    return 0;
}

// Every third element of rows in a box, into one column after the other.
static int layouts() {
    int n[1] = {5}, in_box[1] = {99}, out_box[1] = {99}, batch = 4, all[3] = {1, 1, 5};
    std::vector<cufftDoubleComplex> host(64, {-5, -5}), got(64);
    for (int b = 0; b < batch; b++)
        for (int k = 0; k < 5; k++) host[b * 16 + 3 * k] = {noise(b * 5 + k), noise(b + k * 7)};
    cufftDoubleComplex *from, *to;
    cufftHandle plan;
    CHECK(cudaMalloc(&from, 64 * sizeof *from));
    CHECK(cudaMalloc(&to, 64 * sizeof *to));
    CHECK(cudaMemcpy(from, host.data(), 64 * sizeof *from, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(to, 0, 64 * sizeof *to));
    CHECK(cufftPlanMany(&plan, 1, n, in_box, 3, 16, out_box, batch, 1, CUFFT_Z2Z, batch));
    CHECK(cufftExecZ2Z(plan, from, to, CUFFT_INVERSE));
    CHECK(cudaMemcpy(got.data(), to, 64 * sizeof *to, cudaMemcpyDeviceToHost));
    for (int b = 0; b < batch; b++) {
        std::vector<Value> values;
        for (int k = 0; k < 5; k++) values.push_back({host[b * 16 + 3 * k].x, host[b * 16 + 3 * k].y});
        for (int k = 0; k < 5; k++) {
            Value right = element(values, all, 0, 0, k, 1);
            if (!near(got[k * batch + b].x, right.re, 1e-12)) return printf("layout %d %d\n", b, k), 1;
        }
    }
    for (int i = 20; i < 64; i++)
        if (got[i].x != 0) return printf("written past the end: %d\n", i), 1;
    CHECK(cufftDestroy(plan));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return 0;
}

static int refusals() {
    cufftHandle plan;
    size_t bytes;
    float numbers[8];
    if (cufftPlan1d(&plan, 0, CUFFT_C2C, 1) != CUFFT_INVALID_SIZE) return printf("size\n"), 1;
    if (cufftPlan1d(&plan, 8, (cufftType)3, 1) != CUFFT_INVALID_TYPE) return printf("type\n"), 1;
    if (cufftExecC2C(4711, (cufftComplex *)numbers, (cufftComplex *)numbers, -1) != CUFFT_INVALID_PLAN) return printf("plan\n"), 1;
    CHECK(cufftCreate(&plan));
    if (cufftGetSize(plan, &bytes) != CUFFT_INVALID_PLAN) return printf("not made\n"), 1;
    CHECK(cufftMakePlan1d(plan, 8, CUFFT_C2C, 2, &bytes));
    if (cufftMakePlan1d(plan, 8, CUFFT_C2C, 2, &bytes) != CUFFT_INVALID_PLAN) return printf("made twice\n"), 1;
    if (cufftExecR2C(plan, numbers, (cufftComplex *)numbers) != CUFFT_INVALID_TYPE) return printf("kind\n"), 1;
    CHECK(cufftDestroy(plan));
    return cufftDestroy(plan) != CUFFT_INVALID_PLAN;
}

__global__ void take(const cufftComplex *from, float *to) { to[threadIdx.x] = from[threadIdx.x].x; } // RACE

static int streams() {
    cudaStream_t first, second;
    cufftHandle plan;
    cufftComplex *data;
    float *to;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&data, 32 * sizeof *data));
    CHECK(cudaMalloc(&to, 32 * sizeof *to));
    CHECK(cudaMemset(data, 0, 32 * sizeof *data));
    CHECK(cudaDeviceSynchronize());
    CHECK(cufftPlan1d(&plan, 32, CUFFT_C2C, 1));
    CHECK(cufftSetStream(plan, first));
    CHECK(cufftExecC2C(plan, data, data, CUFFT_FORWARD));
#ifndef RACY
    CHECK(cudaStreamSynchronize(first));
#endif
    take<<<1, 32, 0, second>>>(data, to);
    CHECK(cudaDeviceSynchronize());
    CHECK(cufftDestroy(plan));
    CHECK(cudaFree(data));
    CHECK(cudaFree(to));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return 0;
}

int main() {
    for (int n : {1, 2, 8, 15, 31, 64})
        if (complexes<cufftComplex, float>(CUFFT_C2C, 1, &n, 2e-5)) return 1;
    int two[] = {6, 10}, three[] = {4, 3, 5};
    if (complexes<cufftDoubleComplex, double>(CUFFT_Z2Z, 2, two, 1e-12)) return 1;
    if (complexes<cufftDoubleComplex, double>(CUFFT_Z2Z, 3, three, 1e-12)) return 1;
    if (reals(4, 6) || reals(3, 7) || reals(1, 16) || layouts() || refusals() || streams()) return 1;
    printf("transforms are right\n");
    return 0;
}
