// Families of device functions against their definitions, computed on the host another way: conversions between integers and 16-bit
// numbers in all roundings (by search in a table of all numbers), comparisons, extremes, products with a sum, extremes of packed
// integers, loads and stores with hints, and atomic functions with an order and a scope.
//
// Prints a line for each group; the exit status is 1 where one result differs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

typedef unsigned short u16;
typedef long long i64;
typedef unsigned long long u64;
static u64 state = 0x9e3779b97f4a7c15ull;
static u64 random_bits() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}
static int failures = 0;
static void told(const char *group, long wrong, long results) {
    printf("%s: %ld of %ld are wrong\n", group, wrong, results);
    failures += wrong != 0;
}
static void finish() {
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("a kernel failed\n");
        exit(2);
    }
}
template <class T> static T *made(size_t count) {
    T *p;
    cudaMallocManaged(&p, count * sizeof(T));
    memset((void *)p, 0, count * sizeof(T));
    return p;
}

// The formats, by the names of their functions.
#define FORMAT(Name, T, Two_, fraction_, least_)                                                                       \
    struct Name {                                                                                                      \
        typedef __##T One;                                                                                             \
        typedef __##Two_ Two;                                                                                          \
        static constexpr int fraction = fraction_, least = least_;                                                     \
        static constexpr const char *name = #Name;                                                                     \
    };
FORMAT(half_, half, half2, 10, -14)
FORMAT(bfloat16_, nv_bfloat16, nv_bfloat162, 7, -126)
static __host__ __device__ u16 bits(__half v) { return __half_as_ushort(v); }
static __host__ __device__ u16 bits(__nv_bfloat16 v) { return __bfloat16_as_ushort(v); }
template <class F> static __host__ __device__ typename F::One of(u16 v);
template <> __host__ __device__ __half of<half_>(u16 v) { return __ushort_as_half(v); }
template <> __host__ __device__ __nv_bfloat16 of<bfloat16_>(u16 v) { return __ushort_as_bfloat16(v); }
// In a long double, by the definition of the formats.
template <class F> static long double number(u16 v) {
    int e = (v & 0x7fff) >> F::fraction, m = v & ((1 << F::fraction) - 1);
    long double size = e == 0 ? std::ldexp((long double)m, F::least - F::fraction)
                     : e == (0x7fff >> F::fraction) ? (m ? (long double)NAN : (long double)INFINITY)
                     : std::ldexp((long double)(m + (1 << F::fraction)), F::least - 1 + e - F::fraction);
    return v & 0x8000 ? -size : size;
}
enum { RN, RZ, RU, RD };
// The number next to an integer, of those without a sign.
template <class F> static u16 nearest(long double v, int how) {
    bool negative = v < 0;
    long double size = negative ? -v : v;
    if (negative && how == RU) how = RZ;
    else if (negative && how == RD) how = RU;
    else if (how == RD) how = RZ;
    int infinite = (0x7fff >> F::fraction) << F::fraction, low = 0, high = infinite - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (number<F>((u16)middle) <= size) low = middle;
        else high = middle - 1;
    }
    int result = low;
    if (number<F>((u16)low) < size) {
        // The one above the largest would be as far from it as the one below.
        long double step = low == infinite - 1 ? number<F>((u16)low) - number<F>((u16)(low - 1)) : number<F>((u16)(low + 1)) - number<F>((u16)low);
        long double rest = size - number<F>((u16)low);
        bool is_away = how == RU || (how == RN && (rest > step / 2 || (rest == step / 2 && low % 2 == 1)));
        result = low + is_away;
    }
    return (u16)(result | (negative ? 0x8000 : 0));
}
template <class T> static T whole(long double v, int how) {
    if (std::isnan(v)) return sizeof(T) == 8 ? (T)(1ull << 63) : 0;
    long double r = how == RN ? std::nearbyint(v) : how == RZ ? std::trunc(v) : how == RU ? std::ceil(v) : std::floor(v);
    long double most = (long double)std::numeric_limits<T>::max(), least = (long double)std::numeric_limits<T>::min();
    return r > most ? std::numeric_limits<T>::max() : r < least ? std::numeric_limits<T>::min() : (T)r;
}

// Every conversion of one type of integer: to a number in four roundings, and back.
#define CONVERSIONS(T, name, prefix, suffix)                                                                           \
    struct name {                                                                                                      \
        typedef T type;                                                                                                \
        static __host__ __device__ void run(T v, u16 h, u16 *to, T *from, half_) {                                     \
            to[0] = bits(__##prefix##2half_rn(v)), to[1] = bits(__##prefix##2half_rz(v));                              \
            to[2] = bits(__##prefix##2half_ru(v)), to[3] = bits(__##prefix##2half_rd(v));                              \
            __half x = __ushort_as_half(h);                                                                            \
            from[0] = __half2##suffix##_rn(x), from[1] = __half2##suffix##_rz(x);                                      \
            from[2] = __half2##suffix##_ru(x), from[3] = __half2##suffix##_rd(x);                                      \
        }                                                                                                              \
        static __host__ __device__ void run(T v, u16 h, u16 *to, T *from, bfloat16_) {                                 \
            to[0] = bits(__##prefix##2bfloat16_rn(v)), to[1] = bits(__##prefix##2bfloat16_rz(v));                      \
            to[2] = bits(__##prefix##2bfloat16_ru(v)), to[3] = bits(__##prefix##2bfloat16_rd(v));                      \
            __nv_bfloat16 x = __ushort_as_bfloat16(h);                                                                 \
            from[0] = __bfloat162##suffix##_rn(x), from[1] = __bfloat162##suffix##_rz(x);                              \
            from[2] = __bfloat162##suffix##_ru(x), from[3] = __bfloat162##suffix##_rd(x);                              \
        }                                                                                                              \
    };
CONVERSIONS(short, Short, short, short)
CONVERSIONS(u16, Ushort, ushort, ushort)
CONVERSIONS(int, Int, int, int)
CONVERSIONS(unsigned, Uint, uint, uint)
CONVERSIONS(i64, Ll, ll, ll)
CONVERSIONS(u64, Ull, ull, ull)
static const int points = 4096;
template <class C, class F> __global__ void convert(const typename C::type *v, const u16 *h, u16 *to, typename C::type *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    C::run(v[i], h[i], to + 4 * i, from + 4 * i, F());
}
template <class C, class F> static void conversions(long &wrong, long &results) {
    typedef typename C::type T;
    T *v = made<T>(points), *from = made<T>(4 * points), host_from[4];
    u16 *h = made<u16>(points), *to = made<u16>(4 * points), host_to[4];
    for (int i = 0; i < points; i++) {
        v[i] = (T)(random_bits() >> random_bits() % (8 * sizeof(T)));
        if (i % 3 == 0) v[i] = (T)((i64)1 << i % (8 * sizeof(T) - 1)) + (T)(i % 7) - 3;
        if (std::is_signed<T>::value && i % 2) v[i] = (T)(0 - (u64)v[i]);
        h[i] = (u16)(i * 16 + i / 2);
    }
    convert<C, F><<<points / 128, 128>>>(v, h, to, from);
    finish();
    for (int i = 0; i < points; i++) {
        C::run(v[i], h[i], host_to, host_from, F());
        for (int how = 0; how < 4; how++) {
            u16 want = nearest<F>((long double)v[i], how);
            T want_from = whole<T>(number<F>(h[i]), how);
            results += 4;
            wrong += (to[4 * i + how] != want) + (host_to[how] != want) + (from[4 * i + how] != want_from) + (host_from[how] != want_from);
        }
    }
    cudaFree(v), cudaFree(from), cudaFree(h), cudaFree(to);
}

// Comparisons and extremes, of which `out` has the results as bits.
static const int compared = 29;
template <class One, class Two> static __host__ __device__ void compare(One a, One b, Two p, Two q, unsigned *out) {
    out[0] = __heq(a, b), out[1] = __hne(a, b), out[2] = __hlt(a, b), out[3] = __hle(a, b), out[4] = __hgt(a, b), out[5] = __hge(a, b);
    out[6] = __hequ(a, b), out[7] = __hneu(a, b), out[8] = __hltu(a, b), out[9] = __hleu(a, b), out[10] = __hgtu(a, b), out[11] = __hgeu(a, b);
    out[12] = __heq2_mask(p, q), out[13] = __hneu2_mask(p, q), out[14] = __hbge2(p, q), out[15] = __hbltu2(p, q);
    Two c = __hgt2(p, q), n = __hisnan2(p);
    out[16] = bits(c.x) | (unsigned)bits(c.y) << 16, out[17] = bits(n.x) | (unsigned)bits(n.y) << 16;
    out[18] = bits(__hmin(a, b)), out[19] = bits(__hmax(a, b)), out[20] = bits(__hmin_nan(a, b)), out[21] = bits(__hmax_nan(a, b));
    Two least = __hmin2(p, q), most = __hmax2_nan(p, q);
    out[22] = bits(least.x) | (unsigned)bits(least.y) << 16, out[23] = bits(most.x) | (unsigned)bits(most.y) << 16;
    out[24] = (unsigned)__hisinf(a), out[25] = a == b, out[26] = a != b, out[27] = p != q, out[28] = a < b;
}
template <class F> __global__ void compare_all(const u16 *a, const u16 *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    typename F::Two p(of<F>(a[i]), of<F>(b[i ^ 1])), q(of<F>(b[i]), of<F>(a[i ^ 1]));
    compare(of<F>(a[i]), of<F>(b[i]), p, q, out + compared * i);
}
static u16 extreme(long double x, long double y, u16 a, u16 b, bool is_most, bool nan_wins) {
    if (std::isnan(x) || std::isnan(y)) return nan_wins || (std::isnan(x) && std::isnan(y)) ? 0x7fff : std::isnan(x) ? b : a;
    bool first = x == y ? std::signbit(x) != is_most : (x < y) != is_most;
    return first ? a : b;
}
template <class F> static void comparisons(long &wrong, long &results) {
    static const u16 special[] = {0, 0x8000, 1, 0x8001, 0x7fff, 0xffff, 0x3c00, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7bff, 0x7c01};
    u16 *a = made<u16>(points), *b = made<u16>(points);
    unsigned *out = made<unsigned>(compared * points), host[compared], want[compared];
    for (int i = 0; i < points; i++) {
        a[i] = i % 3 ? (u16)random_bits() : special[random_bits() % 13];
        b[i] = i % 5 == 0 ? a[i] : i % 2 ? (u16)random_bits() : special[random_bits() % 13];
    }
    compare_all<F><<<points / 128, 128>>>(a, b, out);
    finish();
    const unsigned one = bits(typename F::One(1.0f));
    for (int i = 0; i < points; i++) {
        typename F::Two p(of<F>(a[i]), of<F>(b[i ^ 1])), q(of<F>(b[i]), of<F>(a[i ^ 1]));
        compare(of<F>(a[i]), of<F>(b[i]), p, q, host);
        long double x = number<F>(a[i]), y = number<F>(b[i]), x2 = number<F>(b[i ^ 1]), y2 = number<F>(a[i ^ 1]);
        bool u = std::isnan(x) || std::isnan(y), u2 = std::isnan(x2) || std::isnan(y2);
        bool is[12] = {x == y, !u && x != y, x < y, x <= y, x > y, x >= y, u || x == y, u || x != y, u || x < y, u || x <= y, u || x > y, u || x >= y};
        for (int k = 0; k < 12; k++) want[k] = is[k];
        want[12] = (x == y ? 0xffffu : 0) | (x2 == y2 ? 0xffff0000u : 0);
        want[13] = (u || x != y ? 0xffffu : 0) | (u2 || x2 != y2 ? 0xffff0000u : 0);
        want[14] = x >= y && x2 >= y2, want[15] = (u || x < y) && (u2 || x2 < y2);
        want[16] = (x > y ? one : 0) | (x2 > y2 ? one << 16 : 0), want[17] = (std::isnan(x) ? one : 0) | (std::isnan(x2) ? one << 16 : 0);
        want[18] = extreme(x, y, a[i], b[i], false, false), want[19] = extreme(x, y, a[i], b[i], true, false);
        want[20] = extreme(x, y, a[i], b[i], false, true), want[21] = extreme(x, y, a[i], b[i], true, true);
        want[22] = want[18] | (unsigned)extreme(x2, y2, b[i ^ 1], a[i ^ 1], false, false) << 16;
        want[23] = want[21] | (unsigned)extreme(x2, y2, b[i ^ 1], a[i ^ 1], true, true) << 16;
        want[24] = std::isinf(x) ? x > 0 ? 1u : (unsigned)-1 : 0, want[25] = x == y, want[26] = u || x != y;
        want[27] = (u || x != y) && (u2 || x2 != y2), want[28] = x < y;
        for (int k = 0; k < compared; k++) {
            results += 2;
            long now = (out[compared * i + k] != want[k]) + (host[k] != want[k]);
            if (now && !wrong) printf("%s %d of %04x %04x: %x, %x, not %x\n", F::name, k, a[i], b[i], out[compared * i + k], host[k], want[k]);
            wrong += now;
        }
    }
    cudaFree(a), cudaFree(b), cudaFree(out);
}

// Products with a sum of small whole numbers, which are exact, and their ends.
template <class One, class Two> __global__ void products(One *one, Two *two, int *same) {
    One a(3.0f), b(-2.0f), c(0.5f);
    one[0] = __hfma(a, b, c), one[1] = __hfma_relu(a, b, c), one[2] = __hfma_sat(a, c, c), one[3] = __hmul_sat(a, c), one[4] = __hsub_sat(b, a);
    one[5] = htrunc(One(-2.5f)), one[6] = hrint(One(2.5f)), one[7] = hceil(One(-0.5f)), one[8] = hrcp(One(4.0f)), one[9] = hexp2(One(5.0f));
    one[10] = hlog2(One(0.125f)), one[11] = htanh(One(0.0f)), one[12] = __hadd_rn(a, b), one[13] = hsqrt(One(9.0f)), one[14] = hrsqrt(One(16.0f));
    Two p(a, b), q(c, One(4.0f));
    // (3 - 2i) * (0.5 + 4i) + (0.5 + 4i)
    two[0] = __hcmadd(p, q, q), two[1] = __hfma2(p, q, p), two[2] = __hfma2_relu(p, q, p), two[3] = __lowhigh2highlow(p), two[4] = h2rint(q);
    two[5] = __hmul2_sat(q, q), two[6] = p;
    two[6]++, two[6] += q;
    volatile One v;
    v = a;
    One w(v);
    One x = a;
    x -= b, x *= a, --x;
    *same = bits(w) == bits(a) && (int)x == 14 && (bool)c && !One(0.0f) && (short)b == -2 && (u64)a == 3 && (double)(float)c == 0.5;
}
template <class One, class Two> static void product_values(long &wrong, long &results) {
    One *one = made<One>(16);
    Two *two = made<Two>(8);
    int *same = made<int>(1);
    products<<<1, 1>>>(one, two, same);
    finish();
    const float want[15] = {-5.5f, 0, 1, 1, 0, -2, 2, -0.0f, 0.25f, 32, -3, 0, 1, 3, 0.25f};
    for (int i = 0; i < 15; i++) results++, wrong += (float)one[i] != want[i];
    const float pairs[7][2] = {{10, 15}, {4.5f, -10}, {4.5f, 0}, {-2, 3}, {0, 4}, {0.25f, 1}, {4.5f, 3}};
    for (int i = 0; i < 7; i++) results += 2, wrong += ((float)two[i].x != pairs[i][0]) + ((float)two[i].y != pairs[i][1]);
    results++, wrong += !*same;
}

// Extremes of packed integers, lane by lane in 64 bits.
static const int packed = 24;
static __host__ __device__ void extremes(unsigned a, unsigned b, unsigned c, unsigned *out) {
    int s = (int)a, t = (int)b, r = (int)c, n = 0;
    bool high, low;
    out[n++] = __vimax3_s32(s, t, r), out[n++] = __vimin3_u32(a, b, c), out[n++] = __vimax3_s16x2(a, b, c), out[n++] = __vimin3_u16x2(a, b, c);
    out[n++] = __vimax3_s32_relu(s, t, r), out[n++] = __vimin3_s16x2_relu(a, b, c), out[n++] = __viaddmax_s32(s, t, r), out[n++] = __viaddmin_u32(a, b, c);
    out[n++] = __viaddmax_u16x2(a, b, c), out[n++] = __viaddmin_s16x2(a, b, c), out[n++] = __viaddmax_s16x2_relu(a, b, c), out[n++] = __viaddmin_s32_relu(s, t, r);
    out[n++] = __vimax_s32_relu(s, t), out[n++] = __vimin_s16x2_relu(a, b);
    out[n++] = __vibmax_s32(s, t, &high), out[n++] = high, out[n++] = __vibmin_u32(a, b, &high), out[n++] = high;
    out[n++] = __vibmax_u16x2(a, b, &high, &low), out[n++] = high * 2 + low, out[n++] = __vibmin_s16x2(a, b, &high, &low), out[n++] = high * 2 + low;
    out[n++] = __nv_bswap32(a), out[n++] = __nv_bswap16((u16)a);
}
template <class T> static i64 wrapped(i64 v) { return (T)v; }
template <class T, class F> static unsigned lanes(unsigned a, unsigned b, unsigned c, F f) {
    const int width = 8 * sizeof(T);
    unsigned r = 0;
    for (int i = 0; i < 32; i += width) r |= (unsigned)((u64)(f((i64)(T)(a >> i), (i64)(T)(b >> i), (i64)(T)(c >> i)) & (i64)((1ull << width) - 1)) << i);
    return r;
}
static void wanted(unsigned a, unsigned b, unsigned c, unsigned *out) {
    int n = 0;
    auto most3 = [](i64 x, i64 y, i64 z) { return std::max({x, y, z}); };
    auto least3 = [](i64 x, i64 y, i64 z) { return std::min({x, y, z}); };
    const i64 zero = 0;
    out[n++] = lanes<int>(a, b, c, most3), out[n++] = lanes<unsigned>(a, b, c, least3), out[n++] = lanes<short>(a, b, c, most3), out[n++] = lanes<u16>(a, b, c, least3);
    out[n++] = lanes<int>(a, b, c, [&](i64 x, i64 y, i64 z) { return std::max({x, y, z, zero}); });
    out[n++] = lanes<short>(a, b, c, [&](i64 x, i64 y, i64 z) { return std::max(std::min({x, y, z}), zero); });
    out[n++] = lanes<int>(a, b, c, [](i64 x, i64 y, i64 z) { return std::max(wrapped<int>(x + y), z); });
    out[n++] = lanes<unsigned>(a, b, c, [](i64 x, i64 y, i64 z) { return std::min(wrapped<unsigned>(x + y), z); });
    out[n++] = lanes<u16>(a, b, c, [](i64 x, i64 y, i64 z) { return std::max(wrapped<u16>(x + y), z); });
    out[n++] = lanes<short>(a, b, c, [](i64 x, i64 y, i64 z) { return std::min(wrapped<short>(x + y), z); });
    out[n++] = lanes<short>(a, b, c, [&](i64 x, i64 y, i64 z) { return std::max({wrapped<short>(x + y), z, zero}); });
    out[n++] = lanes<int>(a, b, c, [&](i64 x, i64 y, i64 z) { return std::max(std::min(wrapped<int>(x + y), z), zero); });
    out[n++] = lanes<int>(a, b, c, [&](i64 x, i64 y, i64) { return std::max({x, y, zero}); });
    out[n++] = lanes<short>(a, b, c, [&](i64 x, i64 y, i64) { return std::max(std::min(x, y), zero); });
    out[n++] = std::max((int)a, (int)b), out[n++] = (int)a >= (int)b, out[n++] = std::min(a, b), out[n++] = a <= b;
    out[n++] = lanes<u16>(a, b, c, [](i64 x, i64 y, i64) { return std::max(x, y); }), out[n++] = ((a >> 16) >= (b >> 16)) * 2 + ((u16)a >= (u16)b);
    out[n++] = lanes<short>(a, b, c, [](i64 x, i64 y, i64) { return std::min(x, y); });
    out[n++] = ((short)(a >> 16) <= (short)(b >> 16)) * 2 + ((short)a <= (short)b);
    out[n++] = (a & 255) << 24 | (a >> 8 & 255) << 16 | (a >> 16 & 255) << 8 | a >> 24, out[n++] = (u16)((a & 255) << 8 | (a >> 8 & 255));
}
__global__ void all_extremes(const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    extremes(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + packed * i);
}
static void extreme_values() {
    unsigned *in = made<unsigned>(3 * points), *out = made<unsigned>(packed * points), host[packed], want[packed];
    for (int i = 0; i < 3 * points; i++) in[i] = i % 4 ? (unsigned)random_bits() : i % 8 ? in[i - 1] : (unsigned)random_bits() & 0x80017fff;
    all_extremes<<<points / 128, 128>>>(in, out);
    finish();
    long wrong = 0;
    for (int i = 0; i < points; i++) {
        wanted(in[3 * i], in[3 * i + 1], in[3 * i + 2], want);
        extremes(in[3 * i], in[3 * i + 1], in[3 * i + 2], host);
        for (int k = 0; k < packed; k++) wrong += (out[packed * i + k] != want[k]) + (host[k] != want[k]);
    }
    told("extremes of packed integers", wrong, 2L * packed * points);
}

// Each type through a load and a store of each kind: the bytes have to come through.
template <class T> __global__ void copy(const T *in, T *out) {
    int t = threadIdx.x;
    __stwb(out + t, __ldg(in + t)), __stcg(out + 32 + t, __ldca(in + 32 + t)), __stcs(out + 64 + t, __ldcg(in + 64 + t));
    __stwt(out + 96 + t, __ldcs(in + 96 + t)), __stwb(out + 128 + t, __ldlu(in + 128 + t)), __stwb(out + 160 + t, __ldcv(in + 160 + t));
}
static long copy_wrong = 0, copy_results = 0;
template <class T> static void copied() {
    T *in = made<T>(192), *out = made<T>(192);
    for (size_t i = 0; i < 192 * sizeof(T); i++) ((unsigned char *)in)[i] = (unsigned char)(i * 7 + i / 64);
    copy<<<1, 32>>>(in, out);
    finish();
    copy_results += 192, copy_wrong += memcmp((void *)in, (void *)out, 192 * sizeof(T)) != 0;
    cudaFree(in), cudaFree(out);
}
template <class T, class... More> static void copied_all() {
    copied<T>();
    if constexpr (sizeof...(More) > 0) copied_all<More...>();
}

// Sums, extremes and exchanges by many threads, and an update that no exchange may lose.
struct Pair { int a, b; };
__global__ void updates(int *i, u64 *u, float *f, double *d, unsigned char *bytes, u16 *shorts, Pair *pair) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_atomic_fetch_add(i, t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_sub(i + 1, 2, __NV_ATOMIC_ACQ_REL);
    __nv_atomic_max(i + 2, t % 77 - 5, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_fetch_min(i + 3, t % 77 - 5, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_or(u, 1ull << t % 64, __NV_ATOMIC_ACQUIRE);
    __nv_atomic_fetch_xor(u + 1, (u64)t, __NV_ATOMIC_CONSUME);
    __nv_atomic_and(u + 2, ~(1ull << t % 7), __NV_ATOMIC_RELAXED);
    __nv_atomic_add(f, 0.5f, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_sub(d, 0.25, __NV_ATOMIC_RELAXED);
    unsigned char old = __nv_atomic_load_n(bytes + 1, __NV_ATOMIC_RELAXED);
    while (!__nv_atomic_compare_exchange_n(bytes + 1, &old, (unsigned char)(old + 3), true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED)) {}
    u16 seen = __nv_atomic_load_n(shorts + 1, __NV_ATOMIC_ACQUIRE), next;
    do next = (u16)(seen * 5 + 1);
    while (!__nv_atomic_compare_exchange(shorts + 1, &seen, &next, false, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQUIRE));
    Pair mine, was;
    __nv_atomic_load(pair, &mine, __NV_ATOMIC_RELAXED);
    do was = mine, was.a++, was.b -= t;
    while (!__nv_atomic_compare_exchange(pair, &mine, &was, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED));
    atomicXor((i64 *)u + 3, (i64)t << 33), atomicMin((i64 *)u + 4, (i64)-t), atomicAdd_block(i + 4 + blockIdx.x, 1), atomicCAS_system(u + 5, 0ull, 9ull);
}
// What is written before a flag is released is seen once the flag is acquired.
__global__ void handed_over(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    } else {
        while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}
        *out = *data;
        int one = 7, before;
        __nv_atomic_exchange(flag, &one, &before, __NV_ATOMIC_RELAXED);
        __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
        out[1] = before * 10 + __nv_atomic_exchange_n(flag, 8, __NV_ATOMIC_RELAXED);
    }
}
__global__ void sums(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2) {
    atomicAdd(h, __half(0.5f)), atomicAdd(h2, __half2(__half(1.0f), __half(-2.0f)));
    atomicAdd(b, __nv_bfloat16(1.0f)), atomicAdd(b2, __nv_bfloat162(__nv_bfloat16(2.0f), __nv_bfloat16(0.25f)));
}
static void atomics() {
    int *i = made<int>(8), *flag = made<int>(4);
    u64 *u = made<u64>(8);
    float *f = made<float>(1);
    double *d = made<double>(1);
    unsigned char *bytes = made<unsigned char>(4);
    u16 *shorts = made<u16>(4);
    Pair *pair = made<Pair>(1);
    const int threads = 256;
    u[2] = ~0ull;
    bytes[0] = 11, bytes[2] = 13, shorts[0] = 17, shorts[2] = 19;
    updates<<<4, threads / 4>>>(i, u, f, d, bytes, shorts, pair);
    finish();
    u64 all = 0, wide = 0;
    u16 chain = 0;
    for (int t = 0; t < threads; t++) all ^= (u64)t, wide ^= (u64)t << 33, chain = (u16)(chain * 5 + 1);
    int sum = threads * (threads - 1) / 2;
    long wrong = (i[0] != sum) + (i[1] != -2 * threads) + (i[2] != 71) + (i[3] != -5) + (i[4] + i[5] + i[6] + i[7] != threads) + (u[0] != ~0ull) + (u[1] != all);
    wrong += (u[2] != (~0ull & ~0x7full)) + (u[3] != wide) + ((i64)u[4] != 1 - threads) + (u[5] != 9) + (*f != threads / 2) + (*d != -threads / 4.0);
    wrong += (bytes[0] != 11) + (bytes[1] != (unsigned char)(3 * threads)) + (bytes[2] != 13) + (shorts[0] != 17) + (shorts[1] != chain) + (shorts[2] != 19);
    wrong += (pair->a != threads) + (pair->b != -sum);
    handed_over<<<2, 1>>>(flag, flag + 1, flag + 2);
    finish();
    wrong += (flag[2] != 42) + (flag[3] != 17) + (flag[1] != 8);
    __half *h = made<__half>(2);
    __half2 *h2 = made<__half2>(1);
    __nv_bfloat16 *b = made<__nv_bfloat16>(2);
    __nv_bfloat162 *b2 = made<__nv_bfloat162>(1);
    sums<<<2, 32>>>(h + 1, h2, b, b2);
    finish();
    wrong += ((float)h[1] != 32) + ((float)h[0] != 0) + ((float)h2->x != 64) + ((float)h2->y != -128) + ((float)b[0] != 64) + ((float)b2->x != 128) + ((float)b2->y != 16);
    told("atomic functions", wrong, 31);
}

// From sm_90 on: sums of vectors, and 16 bytes in one step, of which both halves change together.
struct alignas(16) Wide { u64 a, b; };
__global__ void wide(int *architecture, float4 *f4, float2 *f2, Wide *w, Wide *out) {
#if __CUDA_ARCH__ >= 900
    *architecture = __CUDA_ARCH__;
    atomicAdd(f4, make_float4(1, 2, 3, 4)), atomicAdd_system(f2, make_float2(1, -1));
    Wide seen = __nv_atomic_load_n(w, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE), next;
    do next = seen, next.a++, next.b += threadIdx.x;
    while (!__nv_atomic_compare_exchange_n(w, &seen, next, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE));
    __syncthreads();
    if (threadIdx.x == 0) out[0] = atomicExch(w, Wide{7, 8}), out[1] = atomicCAS(w, Wide{7, 8}, Wide{1, 2}), out[2] = atomicCAS(w, Wide{7, 8}, Wide{3, 4});
#endif
}
static void wide_values() {
    int *architecture = made<int>(1);
    float4 *f4 = made<float4>(1);
    float2 *f2 = made<float2>(1);
    Wide *w = made<Wide>(1), *out = made<Wide>(3);
    wide<<<1, 64>>>(architecture, f4, f2, w, out);
    finish();
    if (!*architecture) return;
    long wrong = (f4->x != 64) + (f4->y != 128) + (f4->z != 192) + (f4->w != 256) + (f2->x != 64) + (f2->y != -64);
    const u64 want[6] = {64, 64 * 63 / 2, 7, 8, 1, 2};
    for (int i = 0; i < 6; i++) wrong += (&out->a)[i] != want[i];
    told("vectors and 16 bytes in one step", wrong, 12);
}

int main() {
    long wrong = 0, results = 0;
    conversions<Short, half_>(wrong, results), conversions<Ushort, half_>(wrong, results), conversions<Int, half_>(wrong, results);
    conversions<Uint, half_>(wrong, results), conversions<Ll, half_>(wrong, results), conversions<Ull, half_>(wrong, results);
    told("conversions of half", wrong, results);
    wrong = results = 0;
    conversions<Short, bfloat16_>(wrong, results), conversions<Ushort, bfloat16_>(wrong, results), conversions<Int, bfloat16_>(wrong, results);
    conversions<Uint, bfloat16_>(wrong, results), conversions<Ll, bfloat16_>(wrong, results), conversions<Ull, bfloat16_>(wrong, results);
    told("conversions of bfloat16", wrong, results);
    wrong = results = 0;
    comparisons<half_>(wrong, results), comparisons<bfloat16_>(wrong, results);
    told("comparisons and extremes", wrong, results);
    wrong = results = 0;
    product_values<__half, __half2>(wrong, results), product_values<__nv_bfloat16, __nv_bfloat162>(wrong, results);
    told("products with a sum, and functions", wrong, results);
    extreme_values();
    copied_all<char, signed char, unsigned char, short, u16, int, unsigned, long, unsigned long, i64, u64, float, double, char2, uchar2, short2, ushort2, int2,
               uint2, longlong2, ulonglong2, float2, double2, char4, uchar4, short4, ushort4, int4, uint4, float4, __half, __half2, __nv_bfloat16,
               __nv_bfloat162>();
    told("loads and stores with hints", copy_wrong, copy_results);
    atomics();
    wide_values();
    return failures != 0;
}
