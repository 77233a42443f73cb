// The numbers of 8, 6 and 4 bits of the headers, on both sides, against tables of all numbers of their formats that are made from
// the OCP specifications' definition: sign, exponent with its bias, fraction. A conversion has to give the nearest one, the even one
// of two; or, toward zero, the nearest of those that are no larger.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cmath>
#include <cstdio>
#include <vector>

// Codes without a sign, the numbers they are, and the last one that is finite.
struct Format { const char *name; int exponent, fraction, bias, last, sign, nan, over; };
static const Format formats[] = {
    {"e4m3", 4, 3, 7, 0x7e, 0x80, 0x7f, 0x7f}, {"e5m2", 5, 2, 15, 0x7b, 0x80, 0x7f, 0x7c}, {"e2m3", 2, 3, 1, 0x1f, 0x20, 0x1f, 0x1f},
    {"e3m2", 3, 2, 3, 0x1f, 0x20, 0x1f, 0x1f}, {"e2m1", 2, 1, 1, 7, 8, 7, 7},
};
static double number(const Format &f, int code) {
    int e = code >> f.fraction, m = code & ((1 << f.fraction) - 1);
    return e == 0 ? std::ldexp(m, 1 - f.bias - f.fraction) : std::ldexp(m + (1 << f.fraction), e - f.bias - f.fraction);
}
// By search, in numbers.
static int nearest(const Format &f, double v, bool is_finite, bool toward_zero) {
    if (std::isnan(v)) return f.nan;
    int sign = std::signbit(v) ? f.sign : 0, best = 0;
    double size = std::fabs(v), top = number(f, f.last), step = top - number(f, f.last - 1);
    // Beyond half a step over the last one, or there if the last one is odd, it is too large.
    bool is_over = toward_zero ? std::isinf(size) : size > top + step / 2 || (size == top + step / 2 && f.last % 2 == 1);
    if (is_over) return sign | (is_finite ? f.last : f.over);
    for (int code = 1; code <= f.last; code++) {
        double d = std::fabs(number(f, code) - size), b = std::fabs(number(f, best) - size);
        bool is_better = d < b || (d == b && code % 2 == 0);
        if (toward_zero ? number(f, code) <= size : is_better) best = code;
    }
    return sign | best;
}
static __host__ __device__ int convert(int format, double v, bool is_finite, bool toward_zero) {
    __nv_saturation_t s = is_finite ? __NV_SATFINITE : __NV_NOSAT;
    cudaRoundMode r = toward_zero ? cudaRoundZero : cudaRoundNearest;
    switch (format) {
    case 0: return __nv_cvt_double_to_fp8(v, s, __NV_E4M3);
    case 1: return __nv_cvt_double_to_fp8(v, s, __NV_E5M2);
    case 2: return __nv_cvt_double_to_fp6(v, __NV_E2M3, r);
    case 3: return __nv_cvt_double_to_fp6(v, __NV_E3M2, r);
    default: return __nv_cvt_double_to_fp4(v, __NV_E2M1, r);
    }
}
static __host__ __device__ float back(int format, int code) {
    switch (format) {
    case 0: return __half2float(__nv_cvt_fp8_to_halfraw((unsigned char)code, __NV_E4M3));
    case 1: return __half2float(__nv_cvt_fp8_to_halfraw((unsigned char)code, __NV_E5M2));
    case 2: return __half2float(__nv_cvt_fp6_to_halfraw((unsigned char)code, __NV_E2M3));
    case 3: return __half2float(__nv_cvt_fp6_to_halfraw((unsigned char)code, __NV_E3M2));
    default: return __half2float(__nv_cvt_fp4_to_halfraw((unsigned char)code, __NV_E2M1));
    }
}
__global__ void on_device(int format, const double *v, int *codes, float *numbers, int points) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < points)
        for (int k = 0; k < 4; k++) codes[4 * i + k] = convert(format, v[i], k & 1, k & 2);
    if (i < 256) numbers[i] = back(format, i);
}
static long wrong = 0, results = 0;
static void same(bool is, const char *what, double v) {
    results++;
    if (!is && wrong++ < 10) printf("%s of %.17g is wrong\n", what, v);
}

int main() {
    // Every number of binary16, and what lies beside the middle of two numbers of a format.
    std::vector<double> all;
    for (int i = 0; i < 65536; i += 3) all.push_back(__half2float(__ushort_as_half((unsigned short)i)));
    for (const Format &f : formats)
        for (int code = 0; code < f.last; code++) {
            double middle = (number(f, code) + number(f, code + 1)) / 2;
            for (double v : {middle, std::nextafter(middle, 0), std::nextafter(middle, 1e9), number(f, code)}) all.insert(all.end(), {v, -v});
        }
    for (double v : {448.0, 464.0, 464.0001, 480.0, 57344.0, 61440.0, 61439.9, 1e30, 1e-30, 1e300, 5e-324, HUGE_VAL, (double)NAN}) all.insert(all.end(), {v, -v});
    int points = (int)all.size();
    double *v;
    int *codes;
    float *numbers;
    cudaMallocManaged(&v, points * sizeof *v);
    cudaMallocManaged(&codes, 4 * points * sizeof *codes);
    cudaMallocManaged(&numbers, 256 * sizeof *numbers);
    for (int i = 0; i < points; i++) v[i] = all[i];
    for (int format = 0; format < 5; format++) {
        const Format &f = formats[format];
        on_device<<<(points + 127) / 128, 128>>>(format, v, codes, numbers, points);
        if (cudaDeviceSynchronize() != cudaSuccess) return 2;
        for (int i = 0; i < points; i++)
            for (int k = 0; k < 4; k++) {
                bool toward_zero = (k & 2) && format >= 2;
                int want = nearest(f, v[i], (k & 1) || format >= 2, toward_zero);
                if (std::isnan(v[i]) && format < 2) want &= 0x7f;
                same(codes[4 * i + k] == want, f.name, v[i]);
                same(convert(format, v[i], k & 1, k & 2) == want, f.name, v[i]);
            }
        for (int code = 0; code < 2 * f.sign; code++) {
            int size = code & (f.sign - 1);
            double want = size <= f.last ? number(f, size) : size == f.over && f.over != f.nan ? HUGE_VAL : NAN;
            if (code & f.sign) want = -want;
            for (float got : {numbers[code], back(format, code)})
                same(std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want), f.name, code);
        }
    }
    // Scales: powers of two, rounded away from zero or toward it.
    for (int e = -140; e < 140; e++)
        for (double m : {1.0, 1.0000001, 1.5, 1.9999999}) {
            double x = std::ldexp(m, e);
            int down = e < -127 ? 0 : e > 127 ? 254 : e + 127, up = x <= 0x1p-127 ? 0 : m > 1 ? e + 128 : e + 127;
            same(__nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundZero) == down, "e8m0 down", x);
            same(__nv_cvt_double_to_e8m0(-x, __NV_SATFINITE, cudaRoundPosInf) == (up > 254 ? 254 : up), "e8m0 up", -x);
        }
    for (int code = 0; code < 255; code++) same(__nv_cvt_e8m0_to_bf16raw((unsigned char)code).x == (code ? code << 7 : 0x40), "e8m0", code);
    // The types.
    __nv_fp8_e4m3 a(1.3f);
    __nv_fp8x4_e5m2 b(make_float4(1, -2, 3, 1e9f));
    float4 c = float4(b);
    __nv_fp4x2_e2m1 d(make_float2(0.5f, -6));
    same(float(a) == 1.25f && int(__nv_fp8_e4m3(300)) == 288 && !bool(__nv_fp8_e5m2(-0.0f)), "e4m3", 0);
    same(c.x == 1 && c.y == -2 && c.z == 3 && c.w == 57344, "e5m2 x4", 0);
    same(d.__x == 0xf1 && float2(d).y == -6 && __low2float(__half2(d)) == 0.5f, "e2m1 x2", 0);
    same(__nv_fp8_e8m0((1ull << 60) + 1).__x == 188 && float(__nv_fp6_e3m2(29.0f)) == 28, "e8m0 of an integer", 0);
    printf("%ld of %ld results are wrong\n", wrong, results);
    return wrong != 0;
}
