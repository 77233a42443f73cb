// The integer intrinsics, the conversions and the arithmetic with a rounding, against plain host computations.
//
// Roundings on the host are those of the processor (fesetround), or computed exactly in long double and 128-bit integers.
// Prints one line for each group; the exit status is 1 where one result differs.
#include <algorithm>
#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

typedef unsigned long long u64;
typedef long long i64;
static u64 state = 0x9e3779b97f4a7c15ull;
static u64 random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}
static const int points = 2048;
struct Input { unsigned a[points], b[points], c[points]; u64 p[points], q[points], s[points]; };
static Input *in;
static u64 *out;
static int failures = 0;

template <class F> __global__ void evaluate(const Input *in, u64 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = F::device(in->a[i], in->b[i], in->c[i], in->p[i], in->q[i], in->s[i]);
}
// The bits of a result; every NaN is the same.
static __host__ __device__ u64 bits(float v) { return v != v ? 0x7fc0dead : __builtin_bit_cast(unsigned, v); }
static __host__ __device__ u64 bits(double v) { return v != v ? 0x7ff8dead : __builtin_bit_cast(u64, v); }
template <class T> static __host__ __device__ u64 bits(T v) { return (u64)(sizeof v == 4 ? (unsigned)v : v); }
static __host__ __device__ float f(unsigned a) { return __builtin_bit_cast(float, a); }
static __host__ __device__ double d(u64 p) { return __builtin_bit_cast(double, p); }
template <class T> static T opaque(T v) { volatile T w = v; return w; }

template <class F> static void check(const char *name) {
    evaluate<F><<<points / 128, 128>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) { printf("%s: the kernel failed\n", name); failures++; return; }
    int wrong = 0, at = 0;
    std::vector<u64> want(points);
    for (int i = 0; i < points; i++) {
        want[i] = F::host(in->a[i], in->b[i], in->c[i], in->p[i], in->q[i], in->s[i]);
        fesetround(FE_TONEAREST);
        if (want[i] != out[i] && wrong++ == 0) at = i;
    }
    printf("%-20s %s", name, wrong ? "" : "ok\n");
    if (!wrong) return;
    failures++;
    printf("%d wrong; %08x %08x %08x (%g %g %g) %016llx %016llx (%g %g): %llx, not %llx\n", wrong, in->a[at], in->b[at], in->c[at],
           f(in->a[at]), f(in->b[at]), f(in->c[at]), in->p[at], in->q[at], d(in->p[at]), d(in->q[at]), out[at], want[at]);
}
#define ARGUMENTS unsigned a, unsigned b, unsigned c, u64 p, u64 q, u64 s
#define UNUSED (void)a, (void)b, (void)c, (void)p, (void)q, (void)s
#define CASE(name, of_device, of_host)                                                             \
    {                                                                                              \
        struct Case {                                                                              \
            static __device__ u64 device(ARGUMENTS) { UNUSED; return bits(of_device); }            \
            static u64 host(ARGUMENTS) { UNUSED; return bits(of_host); }                           \
        };                                                                                         \
        check<Case>(name);                                                                         \
    }
#define CALL(name, arguments, of_host) CASE(#name, name arguments, of_host)

// Integers.
static int count_bits(u64 v) { int n = 0; for (; v; v &= v - 1) n++; return n; }
static int zeros(u64 v, int width) { int n = 0; while (n < width && !(v >> (width - 1 - n) & 1)) n++; return n; }
static int first(u64 v) { for (int i = 0; i < 64; i++) if (v >> i & 1) return i + 1; return 0; }
static u64 reversed(u64 v, int width) { u64 r = 0; for (int i = 0; i < width; i++) r |= (v >> i & 1) << (width - 1 - i); return r; }
static unsigned bytes(unsigned x, unsigned y, unsigned selector) {
    u64 both = (u64)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= (unsigned)(both >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
    return r;
}
static u64 distance(i64 a, i64 b) { return a > b ? a - b : b - a; }
static int dot4(unsigned a, unsigned b, int c, bool sign) {
    i64 r = c;
    for (int i = 0; i < 32; i += 8) r += sign ? (signed char)(a >> i) * (signed char)(b >> i) : (int)(a >> i & 255) * (int)(b >> i & 255);
    return (int)r;
}
static int dot2(unsigned a, unsigned b, int c, bool sign, int from) {
    i64 r = c;
    for (int i = 0; i < 2; i++) {
        unsigned byte = b >> (from + 8 * i) & 255, half = a >> (16 * i) & 65535;
        r += sign ? (i64)(short)half * (signed char)byte : (i64)half * byte;
    }
    return (int)r;
}
// A word of lanes by a function of two integers.
template <class F> static unsigned lanes(unsigned a, unsigned b, int width, bool sign, F of) {
    unsigned r = 0, mask = (1u << width) - 1;
    for (int i = 0; i < 32; i += width) {
        int x = a >> i & mask, y = b >> i & mask;
        if (sign) x -= x >> (width - 1) << width, y -= y >> (width - 1) << width;
        r |= ((unsigned)of(x, y) & mask) << i;
    }
    return r;
}
template <class F> static unsigned lane_sum(unsigned a, unsigned b, int width, bool sign, F of) {
    unsigned r = 0;
    for (int i = 0; i < 32; i += width) r += lanes(a >> i & ((1u << width) - 1), b >> i & ((1u << width) - 1), width, sign, of) & ((1u << width) - 1);
    return r;
}
static int limit(int v, int low, int high) { return std::min(std::max(v, low), high); }
#define LANES(name, width, sign, expression)                                                       \
    CALL(name, (a, b), lanes(a, b, width, sign, [](int x, int y) -> int { (void)x, (void)y; return expression; }))
#define LANES1(name, width, sign, expression)                                                      \
    CALL(name, (a), lanes(a, b, width, sign, [](int x, int) -> int { return expression; }))
#define SUM(name, width, sign) CALL(name, (a, b), lane_sum(a, b, width, sign, [](int x, int y) -> int { return std::abs(x - y); }))
#define COMPARES(kind, n, width, yes)                                                              \
    LANES(kind##eq##n, width, false, x == y ? yes : 0) LANES(kind##ne##n, width, false, x != y ? yes : 0) \
    LANES(kind##ges##n, width, true, x >= y ? yes : 0) LANES(kind##geu##n, width, false, x >= y ? yes : 0) \
    LANES(kind##gts##n, width, true, x > y ? yes : 0) LANES(kind##gtu##n, width, false, x > y ? yes : 0) \
    LANES(kind##les##n, width, true, x <= y ? yes : 0) LANES(kind##leu##n, width, false, x <= y ? yes : 0) \
    LANES(kind##lts##n, width, true, x < y ? yes : 0) LANES(kind##ltu##n, width, false, x < y ? yes : 0)
#define VIDEO(n, w)                                                                                \
    LANES(__vadd##n, w, false, x + y) LANES(__vsub##n, w, false, x - y)                            \
    LANES(__vaddss##n, w, true, limit(x + y, -(1 << (w - 1)), (1 << (w - 1)) - 1))                 \
    LANES(__vsubss##n, w, true, limit(x - y, -(1 << (w - 1)), (1 << (w - 1)) - 1))                 \
    LANES(__vaddus##n, w, false, limit(x + y, 0, (1 << w) - 1))                                    \
    LANES(__vsubus##n, w, false, limit(x - y, 0, (1 << w) - 1))                                    \
    LANES1(__vabs##n, w, true, std::abs(x)) LANES1(__vneg##n, w, true, -x)                         \
    LANES1(__vabsss##n, w, true, std::min(std::abs(x), (1 << (w - 1)) - 1))                        \
    LANES1(__vnegss##n, w, true, std::min(-x, (1 << (w - 1)) - 1))                                 \
    LANES(__vabsdiffs##n, w, true, std::abs(x - y)) LANES(__vabsdiffu##n, w, false, std::abs(x - y)) \
    LANES(__vavgs##n, w, true, (int)std::floor((x + y + (x + y >= 0 ? 1 : 0)) / 2.0)) LANES(__vavgu##n, w, false, (x + y + 1) / 2) \
    LANES(__vhaddu##n, w, false, (x + y) / 2)                                                      \
    LANES(__vmaxs##n, w, true, std::max(x, y)) LANES(__vmaxu##n, w, false, std::max(x, y))         \
    LANES(__vmins##n, w, true, std::min(x, y)) LANES(__vminu##n, w, false, std::min(x, y))         \
    SUM(__vsads##n, w, true) SUM(__vsadu##n, w, false) COMPARES(__vcmp, n, w, -1) COMPARES(__vset, n, w, 1)

static void integers() {
    CALL(__popc, (a), count_bits(a)) CALL(__popcll, (p), count_bits(p))
    CALL(__clz, (a), zeros(a, 32)) CALL(__clzll, (p), zeros(p, 64)) CALL(__ffs, (a), first(a)) CALL(__ffsll, (p), first(p))
    CALL(__brev, (a), (unsigned)reversed(a, 32)) CALL(__brevll, (p), reversed(p, 64))
    CALL(__byte_perm, (a, b, c & 0x7777), bytes(a, b, c))
    CALL(__funnelshift_l, (a, b, c), (unsigned)((((u64)b << 32 | a) << (c & 31)) >> 32))
    CALL(__funnelshift_r, (a, b, c), (unsigned)(((u64)b << 32 | a) >> (c & 31)))
    CALL(__funnelshift_lc, (a, b, c), c >= 32 ? a : (unsigned)((((u64)b << 32 | a) << c) >> 32))
    CALL(__funnelshift_rc, (a, b, c), c >= 32 ? b : (unsigned)(((u64)b << 32 | a) >> c))
    CASE("__funnelshift_l small", __funnelshift_l(a, b, c & 63), (unsigned)((((u64)b << 32 | a) << (c & 31)) >> 32))
    CASE("__funnelshift_lc small", __funnelshift_lc(a, b, c & 63), (c & 63) >= 32 ? a : (unsigned)((((u64)b << 32 | a) << (c & 63)) >> 32))
    CASE("__funnelshift_rc small", __funnelshift_rc(a, b, c & 63), (c & 63) >= 32 ? b : (unsigned)(((u64)b << 32 | a) >> (c & 63)))
    CALL(__mulhi, ((int)a, (int)b), (int)(((i64)(int)a * (int)b) >> 32)) CALL(__umulhi, (a, b), (unsigned)((u64)a * b >> 32))
    CALL(__mul64hi, ((i64)p, (i64)q), (i64)((__int128)(i64)p * (i64)q >> 64))
    CALL(__umul64hi, (p, q), (u64)((unsigned __int128)p * q >> 64))
    CALL(__mul24, ((int)a, (int)b), (int)((i64)((int)(a << 8) >> 8) * ((int)(b << 8) >> 8)))
    CALL(__umul24, (a, b), (unsigned)((u64)(a & 0xffffff) * (b & 0xffffff)))
    CALL(__sad, ((int)a, (int)b, c), (unsigned)distance((int)a, (int)b) + c) CALL(__usad, (a, b, c), (unsigned)distance(a, b) + c)
    CALL(__hadd, ((int)a, (int)b), (int)(((i64)(int)a + (int)b) >> 1)) CALL(__rhadd, ((int)a, (int)b), (int)(((i64)(int)a + (int)b + 1) >> 1))
    CALL(__uhadd, (a, b), (unsigned)(((u64)a + b) >> 1)) CALL(__urhadd, (a, b), (unsigned)(((u64)a + b + 1) >> 1))
    CASE("__dp4a int", __dp4a((int)a, (int)b, (int)c), dot4(a, b, c, true)) CASE("__dp4a unsigned", __dp4a(a, b, c), (unsigned)dot4(a, b, c, false))
    CASE("__dp4a char4", __dp4a(make_char4(a, a >> 8, a >> 16, a >> 24), make_char4(b, b >> 8, b >> 16, b >> 24), (int)c), dot4(a, b, c, true))
    CASE("__dp2a_lo int", __dp2a_lo((int)a, (int)b, (int)c), dot2(a, b, c, true, 0)) CASE("__dp2a_lo unsigned", __dp2a_lo(a, b, c), (unsigned)dot2(a, b, c, false, 0))
    CASE("__dp2a_hi int", __dp2a_hi((int)a, (int)b, (int)c), dot2(a, b, c, true, 16)) CASE("__dp2a_hi unsigned", __dp2a_hi(a, b, c), (unsigned)dot2(a, b, c, false, 16))
    CASE("min int", min((int)a, (int)b), std::min((int)a, (int)b)) CASE("max mixed", max((int)a, b), std::max(a, b))
    CASE("max long long", max((i64)p, (i64)q), std::max((i64)p, (i64)q)) CASE("min long", min((unsigned long)p, (unsigned long)q), std::min(p, q))
    CASE("min float", min(f(a), f(b)) + 0.0f, std::fmin(f(a), f(b)) + 0.0f) CASE("max double", max(d(p), d(q)) + 0.0, std::fmax(d(p), d(q)) + 0.0)
    CASE("max float, double", max(f(a), d(q)) + 0.0, std::fmax((double)f(a), d(q)) + 0.0)
    CASE("abs", abs((int)a), (int)(a >> 31 ? 0 - a : a)) CASE("llabs", llabs((i64)p), (i64)(p >> 63 ? 0 - p : p)) CASE("labs", labs((i64)p), (i64)(p >> 63 ? 0 - p : p))
    VIDEO(2, 16) VIDEO(4, 8)
}

// Conversions to integers: rounded in long double, then as PTX has it: limits of the type; NaN is 0, or the top bit alone
// where the source or the result has 64 bits.
template <class T, int mode> static T to_integer(long double v, bool float_source) {
    if (v != v) return float_source && sizeof(T) == 4 ? 0 : (T)((T)1 << (8 * sizeof(T) - 1));
    v = mode == FE_TONEAREST ? rintl(v) : mode == FE_TOWARDZERO ? truncl(v) : mode == FE_UPWARD ? ceill(v) : floorl(v);
    long double low = (long double)std::numeric_limits<T>::min(), high = (long double)std::numeric_limits<T>::max();
    return v <= low ? std::numeric_limits<T>::min() : v >= high ? std::numeric_limits<T>::max() : (T)v;
}
// Arithmetic of the host under a rounding.
template <int mode, class F> static auto rounded(F of) -> decltype(of()) {
    int before = fegetround();
    fesetround(mode);
    auto r = of();
    fesetround(before);
    return r;
}
#define TO(name, T, v, is_float)                                                                   \
    CALL(name##_rn, (v), (to_integer<T, FE_TONEAREST>(v, is_float))) CALL(name##_rz, (v), (to_integer<T, FE_TOWARDZERO>(v, is_float))) \
    CALL(name##_ru, (v), (to_integer<T, FE_UPWARD>(v, is_float))) CALL(name##_rd, (v), (to_integer<T, FE_DOWNWARD>(v, is_float)))
#define ROUNDED(name, arguments, expression)                                                       \
    CALL(name##_rn, arguments, rounded<FE_TONEAREST>([&] { return expression; })) CALL(name##_rz, arguments, rounded<FE_TOWARDZERO>([&] { return expression; })) \
    CALL(name##_ru, arguments, rounded<FE_UPWARD>([&] { return expression; })) CALL(name##_rd, arguments, rounded<FE_DOWNWARD>([&] { return expression; }))

static void conversions() {
    // Half of the numbers small: c and s are scaled to the range of integers, with fractions.
    TO(__float2int, int, f(a), true) TO(__float2uint, unsigned, f(a), true) TO(__float2ll, i64, f(a), true) TO(__float2ull, u64, f(a), true)
    TO(__float2int, int, (float)(int)a / 256.0f, true) TO(__float2uint, unsigned, (float)(int)a / 512.0f, true)
    TO(__float2ll, i64, (float)(int)a / 131072.0f, true) TO(__float2ull, u64, (float)a / 1048576.0f, true)
    TO(__double2int, int, d(p), false) TO(__double2uint, unsigned, d(p), false)
    TO(__double2int, int, (double)(int)a / 16.0, false) TO(__double2uint, unsigned, (double)a / 16.0, false)
    TO(__double2ll, i64, d(p), false) TO(__double2ull, u64, d(p), false)
    TO(__double2ll, i64, (double)(i64)p / 4096.0, false) TO(__double2ull, u64, (double)p / 65536.0, false)
    ROUNDED(__int2float, ((int)a), (float)opaque((int)a)) ROUNDED(__uint2float, (a), (float)opaque((i64)a))
    ROUNDED(__ll2float, ((i64)p), (float)opaque((long double)(i64)p)) ROUNDED(__ull2float, (p), (float)opaque((long double)p))
    ROUNDED(__ll2double, ((i64)p), (double)opaque((long double)(i64)p)) ROUNDED(__ull2double, (p), (double)opaque((long double)p))
    ROUNDED(__double2float, (d(p)), (float)opaque(d(p))) ROUNDED(__double2float, (f(a) * 1.000000012345), (float)opaque((double)f(a) * 1.000000012345))
    CALL(__int2double_rn, ((int)a), (double)(int)a) CALL(__uint2double_rn, (a), (double)a)
    CALL(__float_as_int, (f(a)), (int)a) CALL(__float_as_uint, (f(a)), a) CALL(__int_as_float, ((int)a), f(a)) CALL(__uint_as_float, (a), f(a))
    CALL(__double_as_longlong, (d(p)), (i64)p) CALL(__longlong_as_double, ((i64)p), d(p)) CALL(__double2hiint, (d(p)), (int)(p >> 32))
    CALL(__double2loint, (d(p)), (int)p) CALL(__hiloint2double, ((int)a, (int)b), d((u64)a << 32 | b))
}
static void arithmetic() {
    ROUNDED(__fadd, (f(a), f(b)), opaque(f(a)) + opaque(f(b))) ROUNDED(__fsub, (f(a), f(b)), opaque(f(a)) - opaque(f(b)))
    ROUNDED(__fmul, (f(a), f(b)), opaque(f(a)) * opaque(f(b))) ROUNDED(__fdiv, (f(a), f(b)), opaque(f(a)) / opaque(f(b)))
    ROUNDED(__fmaf, (f(a), f(b), f(c)), fmaf(opaque(f(a)), opaque(f(b)), opaque(f(c))))
    ROUNDED(__frcp, (f(a)), 1.0f / opaque(f(a))) ROUNDED(__fsqrt, (f(a)), sqrtf(opaque(f(a))))
    ROUNDED(__fadd, (f(a), f(a ^ (b & 0x80ffffff))), opaque(f(a)) + opaque(f(a ^ (b & 0x80ffffff))))
    ROUNDED(__fmaf, (f(a), f(a ^ (b & 0xffff)), -f(a) * f(a)), fmaf(opaque(f(a)), opaque(f(a ^ (b & 0xffff))), -opaque(rounded<FE_TONEAREST>([&] { return opaque(f(a)) * opaque(f(a)); }))))
    CALL(__frsqrt_rn, (f(a)), (float)(1 / sqrtl(f(a)))) CALL(__saturatef, (f(a)), f(a) != f(a) ? 0.0f : std::fmin(std::fmax(f(a), 0.0f), 1.0f) + 0.0f)
    ROUNDED(__dadd, (d(p), d(q)), opaque(d(p)) + opaque(d(q))) ROUNDED(__dsub, (d(p), d(q)), opaque(d(p)) - opaque(d(q)))
    ROUNDED(__dmul, (d(p), d(q)), opaque(d(p)) * opaque(d(q))) ROUNDED(__ddiv, (d(p), d(q)), opaque(d(p)) / opaque(d(q)))
    ROUNDED(__fma, (d(p), d(q), d(s)), fma(opaque(d(p)), opaque(d(q)), opaque(d(s))))
    ROUNDED(__dadd, (d(p), d(p ^ (q & 0x800fffffffffffff))), opaque(d(p)) + opaque(d(p ^ (q & 0x800fffffffffffff))))
    ROUNDED(__drcp, (d(p)), 1.0 / opaque(d(p))) ROUNDED(__dsqrt, (d(p)), sqrt(opaque(d(p))))
}
// The fast functions, to the errors of the programming guide (absolute or relative).
static __host__ __device__ float moderate(unsigned a) { return (float)(int)a * 0x1p-31f * 3.14f; }
#define NEAR(name, call, exact, tolerance)                                                         \
    {                                                                                              \
        struct Case {                                                                              \
            static __device__ u64 device(ARGUMENTS) { UNUSED; float x = moderate(a), y = moderate(b); (void)y; return bits((float)(call)); } \
            static u64 host(ARGUMENTS) { UNUSED; return 0; }                                       \
        };                                                                                         \
        evaluate<Case><<<points / 128, 128>>>(in, out);                                            \
        cudaDeviceSynchronize();                                                                   \
        double worst = 0;                                                                          \
        for (int i = 0; i < points; i++) {                                                         \
            double x = moderate(in->a[i]), y = moderate(in->b[i]);                                 \
            (void)y;                                                                               \
            double want = exact, got = f((unsigned)out[i]), error = std::fabs(got - want) / (tolerance); \
            if (std::isinf(want) || std::isnan(want)) error = bits(got) == bits(want) ? 0 : 1e9;   \
            worst = error > worst ? error : worst;                                                 \
        }                                                                                          \
        printf("%-20s %.3f of its tolerance%s\n", name, worst, worst > 1 ? ": BAD" : "");          \
        failures += worst > 1;                                                                     \
    }
static void fast() {
    const double u = 0x1p-23;
    NEAR("__expf", __expf(10 * x), std::exp((double)(10.0f * (float)x)), want * u * (2 + 1.173 * 31.4))
    NEAR("__exp10f", __exp10f(10 * x), std::pow(10, (double)(10.0f * (float)x)), want * u * (2 + 2.97 * 31.4))
    NEAR("__logf", __logf(fabsf(x)), std::log(std::fabs(x)), std::max(std::fabs(want) * 3 * u, 0x1p-21))
    NEAR("__log2f", __log2f(fabsf(x)), std::log2(std::fabs(x)), std::max(std::fabs(want) * 3 * u, 0x1p-21))
    NEAR("__log10f", __log10f(fabsf(x)), std::log10(std::fabs(x)), std::max(std::fabs(want) * 3 * u, 0x1p-22))
    NEAR("__powf", __powf(fabsf(x), y), std::pow(std::fabs(x), y), std::fabs(want) * u * 64 + 1e-38)
    NEAR("__sinf", __sinf(x), std::sin(x), std::exp2(-20.9)) NEAR("__cosf", __cosf(x), std::cos(x), std::exp2(-20.9))
    NEAR("__tanf", __tanf(x), std::tan(x), 0x1p-20 * (1 + want * want) * 1.5)
    NEAR("__sincosf", ([&] { float v, w; __sincosf(x, &v, &w); return v + w; }()), std::sin(x) + std::cos(x), 0x1p-20)
    NEAR("__fdividef", __fdividef(x, y), x / y, std::fabs(want) * 2 * u) NEAR("__tanhf", __tanhf(x), std::tanh(x), std::exp2(-10.9) * std::fabs(want))
    NEAR("rsqrtf", rsqrtf(fabsf(x)), 1 / std::sqrt(std::fabs(x)), want * u)
}

int main() {
    cudaMallocManaged(&in, sizeof(Input));
    cudaMallocManaged(&out, points * sizeof(u64));
    const unsigned words[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000,
                              0xbf800000, 0x3f000000, 0x00800000, 0x007fffff, 0x7f7fffff, 0x80808080, 0x7f7f7f7f, 0x80008000, 0x4f000000, 0x5f000000};
    const u64 longs[] = {0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                         0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x0010000000000000, 0x000fffffffffffff, 0x7fefffffffffffff,
                         0x43e0000000000000, 0x41e0000000000000, 0x8000000000000001, 0x36a0000000000000, 0x47efffffe0000000, 0x47effffff0000000};
    for (int i = 0; i < points; i++) {
        in->a[i] = i < 576 ? words[i / 24] : random_bits() >> 32;
        in->b[i] = i < 576 ? words[i % 24] : random_bits() >> 32;
        in->c[i] = random_bits() >> 32;
        in->p[i] = i < 400 ? longs[i / 20] : random_bits();
        in->q[i] = i < 400 ? longs[i % 20] : random_bits();
        // Exponents near, where sums and roundings are of interest.
        if (i % 4 == 3) in->b[i] = (in->a[i] & 0xff800000) ^ (in->b[i] & 0x80ffffff), in->q[i] = (in->p[i] & 0x7ff0000000000000) ^ (in->q[i] & 0x801fffffffffffff);
        in->s[i] = random_bits();
    }
    integers();
    conversions();
    arithmetic();
    fast();
    printf("%d failures\n", failures);
    return failures != 0;
}
