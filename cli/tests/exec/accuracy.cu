// The largest error of each math function on the device, against the host's library in long double.
//
// About 2,000 arguments for each function: uniform bit patterns, the range where it changes, and special values. Prints the
// error in units in the last place (ulp) of the exact result, its argument, and its bound, which is near that of the CUDA guide;
// the exit status is 1 where one is over its bound, or where a special value (NaN, infinity, the sign of zero) differs.
// Exact functions are compared bit by bit.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

static unsigned long long state = 88172645463325252ull;
static unsigned long long random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}
template <class T> T of_bits(unsigned long long bits);
template <> double of_bits(unsigned long long bits) { double v; memcpy(&v, &bits, 8); return v; }
template <> float of_bits(unsigned long long bits) { float v; unsigned b = bits >> 32; memcpy(&v, &b, 4); return v; }
template <class T> T in_range(double low, double high) { return (T)(low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53); }

template <class T> std::vector<T> specials() {
    typedef std::numeric_limits<T> L;
    const T values[] = {0, 0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 27, 100, 171, 1e-3, 1e-9, 1e5, 1e22, (T)M_PI_2, (T)M_PI, (T)M_PI_4,
                        (T)M_E, L::min(), L::denorm_min(), L::min() * (T)0.75, L::max(), L::infinity(), L::quiet_NaN(),
                        1 + L::epsilon(), 1 - L::epsilon() / 2, 1 / L::epsilon(), (T)5.319372648326541e+255, (T)0.346573590279972654,
                        (T)8388607.5, (T)4503599627370495.5};
    std::vector<T> v;
    for (T x : values) { v.push_back(x); v.push_back(-x); }
    return v;
}

static int failures = 0;
struct Worst {
    double error = 0;
    long double x = 0, y = 0, got = 0, want = 0;
    long different = 0;
    int points = 0;
    template <class T> void add(T value, long double exact, long double at, long double at2 = 0) {
        typedef std::numeric_limits<T> L;
        points++;
        T rounded = (T)exact;
        bool differs = false;
        double e = 0;
        if (std::isnan(rounded) || std::isnan(value)) {
            differs = std::isnan(rounded) != std::isnan(value);
        } else if (std::isinf(rounded) || std::isinf(value)) {
            // At the threshold of overflow one ulp may decide.
            e = rounded == value ? 0 : 1;
            differs = std::signbit(rounded) != std::signbit(value) || (e && fabsl(exact) < (long double)L::max() * (1 - 4 * L::epsilon()))
                      || (e && fabsl(exact) > (long double)L::max() * (1 + 4 * L::epsilon()));
        } else {
            differs = (rounded == 0 || value == 0) && std::signbit(rounded) != std::signbit(value);
            int exponent;
            frexpl(exact, &exponent);
            if (exact == 0 || exponent < L::min_exponent) exponent = L::min_exponent;
            e = (double)(fabsl((long double)value - exact) / ldexpl(1, exponent - L::digits));
        }
        if (differs) different++;
        if (e > error || (differs && different == 1)) {
            error = e > error ? e : error;
            x = at; y = at2; got = value; want = exact;
        }
    }
    void print(const char *name, const char *type, double bound) {
        bool bad = error > bound || different;
        failures += bad;
        printf("%-10s %-6s %8.3f ulp, bound %2g, %5d points, at %.17Lg", name, type, error, bound, points, x);
        if (y != 0) printf(", %.17Lg", y);
        if (different) printf("; %ld special values differ", different);
        if (bad) printf(": BAD, %.20Lg for %.20Lg", got, want);
        printf("\n");
    }
};

template <class T> T *managed(size_t n) {
    T *p;
    if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) exit(2);
    return p;
}
template <class F, class T> __global__ void run1(const T *x, T *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = F::device(x[i]);
}
template <class F, class T> __global__ void run2(const T *x, const T *y, T *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = F::device(x[i], y[i]);
}
static void wait() {
    if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) {
        printf("the kernel failed\n");
        exit(2);
    }
}
template <class T> const char *type_name() { return sizeof(T) == 8 ? "double" : "float"; }

template <class F, class T> void check1(const char *name, double low, double high, double bound) {
    std::vector<T> v = specials<T>();
    for (int i = 0; i < 900; i++) v.push_back(of_bits<T>(random_bits()));
    for (int i = 0; i < 1000; i++) v.push_back(in_range<T>(low, high));
    int n = (int)v.size();
    T *x = managed<T>(n), *r = managed<T>(n);
    for (int i = 0; i < n; i++) x[i] = v[i];
    run1<F, T><<<(n + 127) / 128, 128>>>(x, r, n);
    wait();
    Worst w;
    for (int i = 0; i < n; i++)
        if (!F::skip(x[i])) w.add<T>(r[i], F::exact((T)x[i]), x[i]);
    w.print(name, type_name<T>(), bound);
    cudaFree(x);
    cudaFree(r);
}
template <class F, class T> void check2(const char *name, double low, double high, double low2, double high2, double bound) {
    std::vector<T> v, u;
    for (T a : specials<T>()) for (T b : specials<T>()) { v.push_back(a); u.push_back(b); }
    for (int i = 0; i < 1000; i++) { v.push_back(of_bits<T>(random_bits())); u.push_back(of_bits<T>(random_bits())); }
    for (int i = 0; i < 1500; i++) { v.push_back(in_range<T>(low, high)); u.push_back(in_range<T>(low2, high2)); }
    int n = (int)v.size();
    T *x = managed<T>(n), *y = managed<T>(n), *r = managed<T>(n);
    for (int i = 0; i < n; i++) { x[i] = v[i]; y[i] = u[i]; }
    run2<F, T><<<(n + 127) / 128, 128>>>(x, y, r, n);
    wait();
    Worst w;
    for (int i = 0; i < n; i++)
        if (!F::skip(x[i], y[i])) w.add<T>(r[i], F::exact((T)x[i], (T)y[i]), x[i], y[i]);
    w.print(name, type_name<T>(), bound);
    cudaFree(x);
    cudaFree(y);
    cudaFree(r);
}

// A function of one argument: the device's, and the exact one. `a` is the argument as it is, `x` in long double.
#define FUNCTION(name, of_double, of_float, expression, skipped)                                   \
    struct of_##name {                                                                             \
        static __device__ double device(double x) { return of_double; }                            \
        static __device__ float device(float x) { return of_float; }                               \
        template <class T> static bool skip(T a) { (void)a; return skipped; }                      \
        template <class T> static long double exact(T a) { long double x = a; (void)x; return expression; } \
    };
#define PLAIN(name) FUNCTION(name, name(x), name##f(x), name##l(x), false)
#define FUNCTION2(name, of_double, of_float, expression, skipped)                                  \
    struct of_##name {                                                                             \
        static __device__ double device(double x, double y) { return of_double; }                  \
        static __device__ float device(float x, float y) { return of_float; }                      \
        template <class T> static bool skip(T a, T b) { (void)a; (void)b; return skipped; }        \
        template <class T> static long double exact(T a, T b) { long double x = a, y = b; (void)x; (void)y; return expression; } \
    };
#define PLAIN2(name) FUNCTION2(name, name(x, y), name##f(x, y), name##l(x, y), false)

static const long double pi_l = 3.14159265358979323846264338327950288L;
// sin(pi x) and cos(pi x), exact where they are 0 or 1.
static long double exact_sinpi(long double x) {
    if (std::isnan(x) || std::isinf(x)) return NAN;
    if (floorl(x) == x) return copysignl(0, x);
    long double r = remainderl(x, 2);
    if (r > 0.5L) r = 1 - r;
    if (r < -0.5L) r = -1 - r;
    return fabsl(r) > 0.25L ? copysignl(cosl(pi_l * (0.5L - fabsl(r))), r) : sinl(pi_l * r);
}
static long double exact_cospi(long double x) {
    if (std::isnan(x) || std::isinf(x)) return NAN;
    long double r = fabsl(remainderl(x, 2));
    if (r == 0.5L) return 0;
    return r > 0.75L ? -cosl(pi_l * (1 - r)) : r > 0.25L ? sinl(pi_l * (0.5L - r)) : cosl(pi_l * r);
}
static long double exact_erfcx(long double x) {
    if (std::isnan(x)) return x;
    if (x > 50) {
        long double s = 0, t = 1;
        for (int k = 0; k < 12; k++) { s += t; t *= -(2 * k + 1) / (2 * x * x); }
        return s / (x * sqrtl(pi_l));
    }
    long double square = x * x;
    return x < -105 ? INFINITY : expl(square) * (1 + fmal(x, x, -square)) * erfcl(x);
}
static long double exact_normcdf(long double x) {
    if (std::isnan(x) || fabsl(x) > 60) return std::isnan(x) ? x : x > 0;
    long double s = sqrtl(0.5L), s_low = -fmal(s, s, -0.5L) / (2 * s);
    long double z = -x * s, low = fmal(-x, s, -z) - x * s_low;
    return (erfcl(z) - M_2_SQRTPIl * expl(-z * z) * low) / 2;
}
// The inverses: the host's value, refined by Newton's method in long double.
static long double exact_erfcinv(long double y, long double x) {
    if (!(y > 0 && y < 2)) return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
    for (int i = 0; i < 3; i++) {
        // erfc(x) - y, without cancellation
        long double e = fabsl(y - 1) < 0.5L ? 1 - y - erfl(x) : y < 1 ? erfcl(x) - y : 2 - y - erfcl(-x);
        x += e * sqrtl(pi_l) / 2 * expl(x * x);
    }
    return x;
}
static long double exact_erfinv(long double z, long double x) {
    if (!(fabsl(z) < 1) || z == 0) return z == 1 ? INFINITY : z == -1 ? -INFINITY : z == 0 ? z : NAN;
    if (fabsl(z) > 0.5L) return z > 0 ? exact_erfcinv(1 - z, x) : -exact_erfcinv(1 + z, -x);
    for (int i = 0; i < 3; i++) x -= (erfl(x) - z) * sqrtl(pi_l) / 2 * expl(x * x);
    return x;
}
static long double exact_normcdfinv(long double p, long double x) {
    if (p == 0.5L) return 0;
    return -sqrtl(2) * exact_erfcinv(2 * p, x);
}
// lgamma's bound does not hold between these of its zeros and poles.
template <class T> bool lgamma_zeros(T x) { return sizeof(T) == 8 ? x > -23.0001 && x < -2.2637 : x > -10.001 && x < -2.264; }
template <class T> bool integral_below(T x) { return x < 0 && std::floor(x) == x; }

PLAIN(exp) PLAIN(exp2) PLAIN(exp10) PLAIN(expm1) PLAIN(log) PLAIN(log2) PLAIN(log10) PLAIN(log1p) PLAIN(cbrt) PLAIN(sin)
PLAIN(cos) PLAIN(tan) PLAIN(asin) PLAIN(acos) PLAIN(atan) PLAIN(sinh) PLAIN(cosh) PLAIN(tanh) PLAIN(asinh) PLAIN(acosh)
PLAIN(atanh) PLAIN(erf) PLAIN(erfc) PLAIN(sqrt)
FUNCTION(tgamma, tgamma(x), tgammaf(x), std::isinf(x) && x < 0 ? (long double)NAN : tgammal(x), false)
FUNCTION(lgamma, lgamma(x), lgammaf(x), lgammal(x), lgamma_zeros(a))
FUNCTION(rsqrt, rsqrt(x), rsqrtf(x), 1 / sqrtl(x), false)
FUNCTION(rcbrt, rcbrt(x), rcbrtf(x), 1 / cbrtl(x), false)
FUNCTION(sinpi, sinpi(x), sinpif(x), exact_sinpi(x), false)
FUNCTION(cospi, cospi(x), cospif(x), exact_cospi(x), false)
FUNCTION(erfcx, erfcx(x), erfcxf(x), exact_erfcx(x), false)
FUNCTION(normcdf, normcdf(x), normcdff(x), exact_normcdf(x), false)
FUNCTION(erfinv, erfinv(x), erfinvf(x), exact_erfinv(x, ::erfinv((double)a)), false)
FUNCTION(erfcinv, erfcinv(x), erfcinvf(x), exact_erfcinv(x, ::erfcinv((double)a)), false)
FUNCTION(normcdfinv, normcdfinv(x), normcdfinvf(x), exact_normcdfinv(x, ::erfcinv(2 * (double)a)), false)
template <class T> __device__ T part(T s, T c, bool sine) { return sine ? s : c; }
#define PART(name, call, callf, sine, expression)                                                  \
    struct of_##name {                                                                             \
        static __device__ double device(double x) { double s, c; call(x, &s, &c); return part(s, c, sine); } \
        static __device__ float device(float x) { float s, c; callf(x, &s, &c); return part(s, c, sine); } \
        template <class T> static bool skip(T) { return false; }                                   \
        template <class T> static long double exact(T a) { long double x = a; return expression; } \
    };
PART(sincos_s, sincos, sincosf, true, sinl(x)) PART(sincos_c, sincos, sincosf, false, cosl(x))
PART(sincospi_s, sincospi, sincospif, true, exact_sinpi(x)) PART(sincospi_c, sincospi, sincospif, false, exact_cospi(x))
// Overloads of the C++ names, and those of std.
FUNCTION(std_exp, std::exp(x), std::exp(x), expl(x), false)
FUNCTION(std_log, std::log(x), log(x), logl(x), false)

PLAIN2(pow) PLAIN2(atan2) PLAIN2(hypot)
FUNCTION2(std_pow, std::pow(x, y), std::pow(x, y), powl(x, y), false)
FUNCTION2(rhypot, rhypot(x, y), rhypotf(x, y), 1 / hypotl(x, y), false)
static long double exact_norm(long double a, long double b, long double c, long double d) {
    if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(d)) return INFINITY;
    return sqrtl(a * a + b * b + c * c + d * d);
}
FUNCTION2(norm3d, norm3d(x, y, 0.5 * x), norm3df(x, y, 0.5f * x), exact_norm(x, y, (T)0.5 * a, 0), false)
FUNCTION2(rnorm3d, rnorm3d(x, y, 0.5 * x), rnorm3df(x, y, 0.5f * x), 1 / exact_norm(x, y, (T)0.5 * a, 0), false)
__device__ double norm_of(double x, double y) { double v[5] = {x, y, 0, y, 0.5 * x}; return norm(5, v); }
__device__ float norm_of(float x, float y) { float v[5] = {x, y, 0, y, 0.5f * x}; return normf(5, v); }
FUNCTION2(norm, norm_of(x, y), norm_of(x, y), exact_norm(x, y, (T)0.5 * a, y), false)
FUNCTION2(norm4d, norm4d(x, y, 0.5 * x, y), norm4df(x, y, 0.5f * x, y), exact_norm(x, y, (T)0.5 * a, y), false)
FUNCTION2(rnorm4d, rnorm4d(x, y, 0.5 * x, y), rnorm4df(x, y, 0.5f * x, y), 1 / exact_norm(x, y, (T)0.5 * a, y), false)

// Exact functions, against the host's of the same type; the result is a number.
#define EXACT(name) FUNCTION(name, name(x), name##f(x), std::name(a), false)
#define EXACT2(name) FUNCTION2(name, name(x, y), name##f(x, y), std::name(a, b), false)
EXACT(floor) EXACT(ceil) EXACT(trunc) EXACT(round) EXACT(rint) EXACT(nearbyint) EXACT(fabs) EXACT(logb)
EXACT2(fmod) EXACT2(remainder) EXACT2(copysign) EXACT2(nextafter) EXACT2(fdim)
FUNCTION2(fmin, fmin(x, y), fminf(x, y), std::fmin(a, b), a == 0 && b == 0)
FUNCTION2(fmax, fmax(x, y), fmaxf(x, y), std::fmax(a, b), a == 0 && b == 0)
template <class T> bool fits(T a) { return std::fabs(a) < (T)9e18; }
FUNCTION(lrint, (double)lrint(x), (float)lrintf(x), (T)std::lrint(a) + (T)0, !fits(a))
FUNCTION(llround, (double)llround(x), (float)llroundf(x), (T)std::llround(a) + (T)0, !fits(a))
FUNCTION(ilogb, (double)ilogb(x), (float)ilogbf(x), (T)std::ilogb(a), false)
FUNCTION(classes, isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x) + 16 * fpclassify(x) + 128 * isnormal(x),
         isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x) + 16 * fpclassify(x) + 128 * isnormal(x),
         std::isnan(a) + 2 * std::isinf(a) + 4 * std::isfinite(a) + 8 * std::signbit(a) + 16 * std::fpclassify(a) + 128 * std::isnormal(a), std::isnan(a))
struct of_remquo {
    static __device__ double device(double x, double y) { int q = 0; double r = remquo(x, y, &q); return isfinite(r) ? (double)((q < 0 ? -q : q) & 7) : r; }
    static __device__ float device(float x, float y) { int q = 0; float r = remquof(x, y, &q); return isfinite(r) ? (float)((q < 0 ? -q : q) & 7) : r; }
    template <class T> static bool skip(T, T) { return false; }
    template <class T> static long double exact(T x, T y) { int q = 0; T r = std::remquo(x, y, &q); return std::isfinite(r) ? (T)(std::abs(q) & 7) : r; }
};
struct of_modf {
    static __device__ double device(double x, double y) { double w; double r = modf(x, &w); return y > 0 ? w : r; }
    static __device__ float device(float x, float y) { float w; float r = modff(x, &w); return y > 0 ? w : r; }
    template <class T> static bool skip(T, T) { return false; }
    template <class T> static long double exact(T x, T y) { T w; T r = std::modf(x, &w); return y > 0 ? w : r; }
};
struct of_frexp {
    static __device__ double device(double x, double y) { int e; double r = frexp(x, &e); return y > 0 && isfinite(x) ? e : r; }
    static __device__ float device(float x, float y) { int e; float r = frexpf(x, &e); return y > 0 && isfinite(x) ? e : r; }
    template <class T> static bool skip(T, T) { return false; }
    template <class T> static long double exact(T x, T y) { int e; T r = std::frexp(x, &e); return y > 0 && std::isfinite(x) ? e : r; }
};
template <class T> __host__ __device__ int small(T y) { return y != y || y > 1e6 || y < -1e6 ? 3000 : (int)y; }
FUNCTION2(ldexp, ldexp(x, small(y)), ldexpf(x, small(y)), std::ldexp(a, small(b)), false)
FUNCTION2(scalbln, scalbln(x, (long)small(y)), scalblnf(x, small(y)), std::scalbln(a, (long)small(b)), false)
FUNCTION2(fma, fma(x, y, -x), fmaf(x, y, -x), std::fma(a, b, -a), false)

#define CHECK(name, low, high, bound, boundf)                                                      \
    check1<of_##name, double>(#name, low, high, bound);                                            \
    check1<of_##name, float>(#name, low, high, boundf);
#define CHECK2(name, low, high, low2, high2, bound, boundf)                                        \
    check2<of_##name, double>(#name, low, high, low2, high2, bound);                               \
    check2<of_##name, float>(#name, low, high, low2, high2, boundf);

int main() {
    CHECK(sqrt, 0, 10, 0.5, 0.5)
    CHECK(exp, -104, 89, 1, 2)
    CHECK(std_exp, -745, 710, 1, 2)
    CHECK(exp2, -150, 128, 1, 2)
    CHECK(exp10, -46, 39, 1, 2)
    CHECK(expm1, -5, 5, 1, 1)
    CHECK(log, 0, 3, 1, 1)
    CHECK(std_log, 0, 1e6, 1, 1)
    CHECK(log2, 0, 3, 1, 1)
    CHECK(log10, 0, 3, 1, 2)
    CHECK(log1p, -1, 2, 1, 1)
    CHECK2(pow, 0, 3, -80, 80, 2, 4)
    CHECK2(std_pow, -5, 5, -5, 5, 2, 4)
    CHECK(cbrt, -10, 10, 1, 1)
    CHECK(rcbrt, -10, 10, 1, 1)
    CHECK(rsqrt, 0, 10, 1, 2)
    CHECK2(hypot, -10, 10, -10, 10, 2, 3)
    CHECK2(rhypot, -10, 10, -10, 10, 1, 2)
    CHECK2(norm3d, -10, 10, -10, 10, 2, 3)
    CHECK2(rnorm3d, -10, 10, -10, 10, 1, 2)
    CHECK2(norm, -10, 10, -10, 10, 2, 3)
    CHECK2(norm4d, -10, 10, -10, 10, 2, 3)
    CHECK2(rnorm4d, -10, 10, -10, 10, 1, 2)
    CHECK(sin, -10, 10, 2, 2)
    CHECK(cos, -1000, 1000, 2, 2)
    CHECK(tan, -10, 10, 2, 4)
    CHECK(sincos_s, -1e6, 1e6, 2, 2)
    CHECK(sincos_c, -10, 10, 2, 2)
    CHECK(sinpi, -10, 10, 2, 1)
    CHECK(cospi, -10, 10, 2, 1)
    CHECK(sincospi_s, -3, 3, 2, 1)
    CHECK(sincospi_c, -3, 3, 2, 1)
    CHECK(asin, -1, 1, 2, 2)
    CHECK(acos, -1, 1, 2, 2)
    CHECK(atan, -4, 4, 2, 2)
    CHECK2(atan2, -4, 4, -4, 4, 2, 3)
    CHECK(sinh, -90, 90, 2, 3)
    CHECK(cosh, -20, 20, 1, 2)
    CHECK(tanh, -5, 5, 1, 2)
    CHECK(asinh, -4, 4, 3, 3)
    CHECK(acosh, 1, 4, 3, 4)
    CHECK(atanh, -1, 1, 2, 3)
    CHECK(erf, -4, 4, 2, 2)
    CHECK(erfc, -4, 27, 5, 4)
    CHECK(erfcx, -10, 20, 4, 4)
    CHECK(normcdf, -38, 8, 5, 5)
    CHECK(tgamma, -30, 36, 10, 5)
    CHECK(lgamma, -2.2, 20, 4, 6)
    CHECK(erfinv, -1, 1, 5, 2)
    CHECK(erfcinv, 0, 2, 6, 4)
    CHECK(normcdfinv, 0, 1, 8, 5)
    CHECK(floor, -10, 10, 0, 0) CHECK(ceil, -10, 10, 0, 0) CHECK(trunc, -10, 10, 0, 0) CHECK(round, -10, 10, 0, 0)
    CHECK(rint, -10, 10, 0, 0) CHECK(nearbyint, -1e9, 1e9, 0, 0) CHECK(fabs, -10, 10, 0, 0) CHECK(logb, -10, 10, 0, 0)
    CHECK(ilogb, -10, 10, 0, 0) CHECK(lrint, -100, 100, 0, 0) CHECK(llround, -1e15, 1e15, 0, 0) CHECK(classes, -1, 1, 0, 0)
    CHECK2(fmod, -1e9, 1e9, -10, 10, 0, 0) CHECK2(remainder, -1e9, 1e9, -10, 10, 0, 0)
    CHECK2(remquo, -100, 100, -10, 10, 0, 0) CHECK2(modf, -100, 100, -1, 1, 0, 0) CHECK2(frexp, -100, 100, -1, 1, 0, 0)
    CHECK2(ldexp, -10, 10, -1100, 1100, 0, 0) CHECK2(scalbln, -10, 10, -160, 160, 0, 0) CHECK2(copysign, -10, 10, -10, 10, 0, 0)
    CHECK2(nextafter, -10, 10, -10, 10, 0, 0) CHECK2(fdim, -10, 10, -10, 10, 0, 0) CHECK2(fmin, -10, 10, -10, 10, 0, 0)
    CHECK2(fmax, -10, 10, -10, 10, 0, 0) CHECK2(fma, -10, 10, -10, 10, 0, 0)

    // What CUDA offers on the host, too: the same results there.
    long differ = 0;
    for (int i = 0; i < 1000; i++) {
        double x = in_range<double>(-3, 3), s, c;
        sincospi(x, &s, &c);
        differ += fabs(s - sinpi(x)) > 0 || fabsl(c - exact_cospi(x)) > 1e-15;
        differ += fabsl(rsqrt(x * x) * fabs(x) - 1) > 1e-15 || fabsl(normcdf(x) - exact_normcdf(x)) > 1e-15;
        differ += fabs(norm3d(x, 2.0, 3.0) - std::sqrt(x * x + 13)) > 1e-14 || fabs(rcbrt(x) * std::cbrt(x) - 1) > 1e-15;
    }
    printf("on the host: %ld differ\n%d failures\n", differ, failures);
    return failures || differ;
}
