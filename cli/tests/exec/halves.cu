// `__half` and `__nv_bfloat16` of the headers against all numbers of their formats: the nearest one to an exact result is looked up
// in a table of all of them, with an error beside the result where a double does not hold it.
//
// Prints one line for each format; the exit status is 1 where one result differs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <vector>

typedef unsigned short u16;
static const int points = 8192, operations = 30;
struct Input { u16 a[points], b[points], c[points]; float f[points]; double d[points]; int i[points]; };
static unsigned long long state = 0x9e3779b97f4a7c15ull;
static unsigned long long random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

struct Half {
    typedef __half One;
    typedef __half2 Two;
    static constexpr int fraction = 10, least = -14;
    static __host__ __device__ One of(u16 v) { return __ushort_as_half(v); }
    static __host__ __device__ u16 bits(One v) { return __half_as_ushort(v); }
    static __host__ __device__ Two two(One a, One b) { return __halves2half2(a, b); }
    static __host__ __device__ One low(Two v) { return __low2half(v); }
    static __host__ __device__ One high(Two v) { return __high2half(v); }
    static __host__ __device__ One rn(float v) { return __float2half_rn(v); }
    static __host__ __device__ One rz(float v) { return __float2half_rz(v); }
    static __host__ __device__ One ru(float v) { return __float2half_ru(v); }
    static __host__ __device__ One rd(float v) { return __float2half_rd(v); }
    static __host__ __device__ One wide(double v) { return __double2half(v); }
    static __host__ __device__ One whole(int v) { return __int2half_rn(v); }
    static __host__ __device__ float single(One v) { return __half2float(v); }
    static __device__ int rz(One v) { return __half2int_rz(v); }
    static __device__ int rn(One v) { return __half2int_rn(v); }
};
struct Bfloat16 {
    typedef __nv_bfloat16 One;
    typedef __nv_bfloat162 Two;
    static constexpr int fraction = 7, least = -126;
    static __host__ __device__ One of(u16 v) { return __ushort_as_bfloat16(v); }
    static __host__ __device__ u16 bits(One v) { return __bfloat16_as_ushort(v); }
    static __host__ __device__ Two two(One a, One b) { return __halves2bfloat162(a, b); }
    static __host__ __device__ One low(Two v) { return __low2bfloat16(v); }
    static __host__ __device__ One high(Two v) { return __high2bfloat16(v); }
    static __host__ __device__ One rn(float v) { return __float2bfloat16_rn(v); }
    static __host__ __device__ One rz(float v) { return __float2bfloat16_rz(v); }
    static __host__ __device__ One ru(float v) { return __float2bfloat16_ru(v); }
    static __host__ __device__ One rd(float v) { return __float2bfloat16_rd(v); }
    static __host__ __device__ One wide(double v) { return __double2bfloat16(v); }
    static __host__ __device__ One whole(int v) { return __int2bfloat16_rn(v); }
    static __host__ __device__ float single(One v) { return __bfloat162float(v); }
    static __device__ int rz(One v) { return __bfloat162int_rz(v); }
    static __device__ int rn(One v) { return __bfloat162int_rn(v); }
};

template <class F> __global__ void evaluate(const Input *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    auto a = F::of(in->a[i]), b = F::of(in->b[i]), c = F::of(in->c[i]);
    auto put = [&](unsigned v) { out[n++ * points + i] = v; };
    put(F::bits(__hadd(a, b)));
    put(F::bits(__hsub(a, b)));
    put(F::bits(__hmul(a, b)));
    put(F::bits(__hdiv(a, b)));
    put(F::bits(__hfma(a, b, c)));
    put(F::bits(hsqrt(a)));
    put(F::bits(__hmin(a, b)));
    put(F::bits(__hmax(a, b)));
    put(F::bits(__hadd_sat(a, b)));
    put(F::bits(__hneg(a)));
    put(F::bits(__habs(a)));
    put(F::bits(F::rn(in->f[i])));
    put(F::bits(F::rz(in->f[i])));
    put(F::bits(F::ru(in->f[i])));
    put(F::bits(F::rd(in->f[i])));
    put(F::bits(F::wide(in->d[i])));
    put(F::bits(F::whole(in->i[i])));
    put(__float_as_uint(F::single(a)));
    put((unsigned)F::rz(a));
    put((unsigned)F::rn(a));
    put(__heq(a, b) | __hlt(a, b) << 1 | __hge(a, b) << 2 | __hne(a, b) << 3 | __hltu(a, b) << 4 | __hisnan(a) << 5);
    auto sum = __hadd2(F::two(a, b), F::two(b, c)), product = __hmul2(F::two(a, b), F::two(b, c));
    put(F::bits(F::low(sum)));
    put(F::bits(F::high(sum)));
    put(F::bits(F::low(product)));
    put(F::bits(F::high(product)));
    auto fused = __hfma2(F::two(a, b), F::two(b, c), F::two(c, a));
    put(F::bits(F::low(fused)));
    put(F::bits(F::high(fused)));
    auto least = __hmin2(F::two(a, b), F::two(b, c));
    put(F::bits(F::low(least)));
    put(F::bits(F::high(__hneg2(least))));
    put(F::bits(__shfl_xor_sync(~0u, a, 1)));
}

// All numbers of a format that are not negative, by their bits; behind them comes infinity.
template <class F> std::vector<double> numbers() {
    std::vector<double> all;
    int last = (0x7fff >> F::fraction) << F::fraction, one = 1 << F::fraction;
    for (int bits = 0; bits < last; bits++) {
        int exponent = bits / one, digits = bits % one;
        all.push_back(exponent ? std::ldexp(one + digits, exponent - 1 + F::least - F::fraction)
                               : std::ldexp(digits, F::least - F::fraction));
    }
    return all;
}

enum Rounding { nearest, zero, up, down };
// The number nearest to v + error, where the error is too small to be seen beside v.
template <class F> unsigned rounded(double v, double error = 0, Rounding how = nearest) {
    static const std::vector<double> all = numbers<F>();
    if (v != v)
        return 0x10000;
    unsigned infinite = all.size(), sign = std::signbit(v) ? 0x8000 : 0;
    if (sign)
        v = -v, error = -error;
    if (std::isinf(v))
        return sign | infinite;
    unsigned low = 0, high = all.size() - 1;
    while (low < high) {
        unsigned middle = (low + high + 1) / 2;
        if (all[middle] < v || (all[middle] == v && error >= 0))
            low = middle;
        else
            high = middle - 1;
    }
    if (all[low] == v && error == 0)
        return sign | low;
    bool is_outward = (how == up && !sign) || (how == down && sign);
    // What would come behind the greatest number if there were one more.
    double next = low + 1 < infinite ? all[low + 1] : 2 * all[low] - all[low - 1] , twice = all[low] + next;
    if (how == nearest)
        is_outward = 2 * v > twice || (2 * v == twice && (error > 0 || (error == 0 && low % 2)));
    return sign | (low + is_outward);
}

static double error_of_sum(double a, double b) {
    double s = a + b, part = s - a;
    return std::isfinite(s) ? (a - (s - part)) + (b - part) : 0;
}
template <class F> unsigned sum(double a, double b) { return rounded<F>(a + b, error_of_sum(a, b)); }

template <class F> int check(const char *name) {
    static const std::vector<double> all = numbers<F>();
    auto value = [&](u16 bits) {
        unsigned size = bits & 0x7fff;
        double v = size < all.size() ? all[size] : size == all.size() ? INFINITY : NAN;
        return bits & 0x8000 ? -v : v;
    };
    Input *in;
    unsigned *out;
    cudaMallocManaged(&in, sizeof *in);
    cudaMallocManaged(&out, sizeof(unsigned) * operations * points);
    for (int i = 0; i < points; i++) {
        // Any bits, and numbers that lie near to each other.
        in->a[i] = random_bits();
        in->b[i] = i % 2 ? random_bits() : in->a[i] ^ (random_bits() & 0x83ff);
        in->c[i] = i % 3 ? random_bits() : in->b[i] ^ (random_bits() & 0x8fff);
        // Zeros, the least and the greatest numbers, infinities, and what is no number.
        static const u16 special[] = {0, 1, (u16)(all.size() - 1), (u16)all.size(), 0x7fff, 0x3c00, (u16)(1 << F::fraction)};
        if (i % 16 == 0)
            in->a[i] = special[random_bits() % 7] | (random_bits() & 0x8000);
        if (i % 16 < 2)
            in->b[i] = special[random_bits() % 7] | (random_bits() & 0x8000);
        // In the middle of two numbers, right before and behind it, and anywhere.
        double middle = (value(in->c[i]) + value(in->c[i] + 1)) / 2;
        float single = (float)middle;
        switch (i % 4) {
        case 0: in->f[i] = single, in->d[i] = middle; break;
        case 1: in->f[i] = std::nextafter(single, 0.0f), in->d[i] = std::nextafter(middle, 0.0); break;
        case 2: in->f[i] = std::nextafter(single, 2 * single), in->d[i] = std::nextafter(middle, 2 * middle); break;
        case 3:
            in->f[i] = __builtin_bit_cast(float, (unsigned)random_bits());
            in->d[i] = std::ldexp((double)random_bits(), (int)(random_bits() % 300) - 200);
        }
        in->i[i] = (int)(random_bits() >> (random_bits() % 32 + 32));
    }
    evaluate<F><<<points / 128, 128>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::printf("%s: the kernel failed\n", name);
        return 1;
    }
    int wrong = 0;
    auto is = [&](int operation, int i, unsigned wanted, const char *what) {
        unsigned found = out[operation * points + i];
        // A number of the format, which may be none, or of 32 bits.
        bool is_none = wanted == 0x10000 && (operation < 17 || operation > 20);
        bool is_same = is_none ? (found & 0x7fff) > all.size() : found == wanted;
        if (!is_same && wrong++ < 10)
            std::printf("%s %s: %04x %04x %04x (%a, %a) gave %x, not %x\n", name, what, in->a[i], in->b[i], in->c[i], in->f[i], in->d[i], found, wanted);
    };
    for (int i = 0; i < points; i++) {
        double a = value(in->a[i]), b = value(in->b[i]), c = value(in->c[i]), quotient = a / b, root = std::sqrt(a);
        auto fused = [&](double a, double b, double c) { return sum<F>(a * b, c); };
        auto less = [&](double a, double b) { return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b; };
        bool is_quotient = std::isfinite(quotient) && b != 0, is_root = std::isfinite(root);
        is(0, i, sum<F>(a, b), "add");
        is(1, i, sum<F>(a, -b), "sub");
        is(2, i, rounded<F>(a * b), "mul");
        is(3, i, rounded<F>(quotient, is_quotient ? std::fma(-quotient, b, a) / b : 0), "div");
        is(4, i, fused(a, b, c), "fma");
        is(5, i, rounded<F>(root, is_root ? std::fma(-root, root, a) : 0), "sqrt");
        is(6, i, rounded<F>(less(a, b)), "min");
        is(7, i, rounded<F>(-less(-a, -b)), "max");
        double saturated = a + b;
        is(8, i, saturated > 0 ? saturated < 1 ? sum<F>(a, b) : rounded<F>(1) : 0u, "add_sat");
        is(9, i, in->a[i] ^ 0x8000, "neg");
        is(10, i, in->a[i] & 0x7fff, "abs");
        is(11, i, rounded<F>(in->f[i]), "float_rn");
        is(12, i, rounded<F>(in->f[i], 0, zero), "float_rz");
        is(13, i, rounded<F>(in->f[i], 0, up), "float_ru");
        is(14, i, rounded<F>(in->f[i], 0, down), "float_rd");
        is(15, i, rounded<F>(in->d[i]), "double");
        is(16, i, rounded<F>(in->i[i]), "int");
        float single = (float)a;
        if (a == a)
            is(17, i, __builtin_bit_cast(unsigned, single), "to float");
        auto to_int = [](double v) { return v != v ? 0 : v >= 2147483647.0 ? 2147483647 : v <= -2147483648.0 ? -2147483647 - 1 : (int)v; };
        is(18, i, (unsigned)to_int(std::trunc(a)), "to int rz");
        is(19, i, (unsigned)to_int(std::nearbyint(a)), "to int rn");
        bool is_none = a != a || b != b;
        is(20, i, (a == b) | (a < b) << 1 | (a >= b) << 2 | (!is_none && a != b) << 3 | (is_none || a < b) << 4 | (a != a) << 5, "compare");
        is(21, i, sum<F>(a, b), "add2");
        is(22, i, sum<F>(b, c), "add2");
        is(23, i, rounded<F>(a * b), "mul2");
        is(24, i, rounded<F>(b * c), "mul2");
        is(25, i, fused(a, b, c), "fma2");
        is(26, i, fused(b, c, a), "fma2");
        is(27, i, rounded<F>(less(a, b)), "min2");
        is(28, i, rounded<F>(-less(b, c)), "min2");
        is(29, i, in->a[i ^ 1], "shfl");
        // The same on the host.
        auto on_host = [&](typename F::One v, unsigned wanted, const char *what) {
            unsigned found = F::bits(v);
            bool is_same = wanted == 0x10000 ? (found & 0x7fff) > all.size() : found == wanted;
            if (!is_same && wrong++ < 10)
                std::printf("%s %s of the host: %04x %04x gave %x, not %x\n", name, what, in->a[i], in->b[i], found, wanted);
        };
        on_host(F::rn(in->f[i]), rounded<F>(in->f[i]), "float_rn");
        on_host(F::rz(in->f[i]), rounded<F>(in->f[i], 0, zero), "float_rz");
        on_host(F::ru(in->f[i]), rounded<F>(in->f[i], 0, up), "float_ru");
        on_host(F::rd(in->f[i]), rounded<F>(in->f[i], 0, down), "float_rd");
        on_host(F::wide(in->d[i]), rounded<F>(in->d[i]), "double");
        on_host(F::of(in->a[i]) * F::of(in->b[i]), rounded<F>(a * b), "mul");
        on_host(F::rn(F::single(F::of(in->a[i]))), rounded<F>(a), "to float and back");
    }
    std::printf("%s: %d of %d results are wrong\n", name, wrong, points * (operations + 7));
    cudaFree(in);
    cudaFree(out);
    return wrong != 0;
}

// Sums that have no rounding, by all threads at once; and functions at points where their value is a number of the format.
template <class F> __global__ void together(typename F::One *one, typename F::Two *two, int *wrong) {
    atomicAdd(one, F::rn(1.0f));
    atomicAdd(two, F::two(F::rn(1.0f), F::rn(-2.0f)));
    auto is = [&](typename F::One found, float wanted) { atomicAdd(wrong, F::single(found) != wanted); };
    is(hexp(F::rn(0.0f)), 1.0f);
    is(hexp2(F::rn(5.0f)), 32.0f);
    is(hexp10(F::rn(2.0f)), 100.0f);
    is(hlog(F::rn(1.0f)), 0.0f);
    is(hlog2(F::rn(64.0f)), 6.0f);
    is(hlog10(F::rn(100.0f)), 2.0f);
    is(hsin(F::rn(0.0f)), 0.0f);
    is(hcos(F::rn(0.0f)), 1.0f);
    is(hrcp(F::rn(8.0f)), 0.125f);
    is(hrsqrt(F::rn(16.0f)), 0.25f);
    is(hfloor(F::rn(-1.5f)), -2.0f);
    is(hceil(F::rn(-1.5f)), -1.0f);
    is(htrunc(F::rn(-1.5f)), -1.0f);
    is(hrint(F::rn(2.5f)), 2.0f);
    is(F::high(h2sqrt(F::two(F::rn(4.0f), F::rn(9.0f)))), 3.0f);
}

template <class F> int sums(const char *name) {
    struct All { typename F::One one; typename F::Two two; int wrong; } *all;
    cudaMallocManaged(&all, sizeof *all);
    all->one = F::rn(0.0f), all->two = F::two(F::rn(0.0f), F::rn(0.0f)), all->wrong = 0;
    together<F><<<4, 32>>>(&all->one, &all->two, &all->wrong);
    bool is_right = cudaDeviceSynchronize() == cudaSuccess && all->wrong == 0 && F::single(all->one) == 128.0f &&
                    F::single(F::low(all->two)) == 128.0f && F::single(F::high(all->two)) == -256.0f;
    if (!is_right)
        std::printf("%s: %g, (%g, %g), and %d functions are wrong\n", name, F::single(all->one), F::single(F::low(all->two)), F::single(F::high(all->two)), all->wrong);
    cudaFree(all);
    return !is_right;
}

int main() {
    int failed = check<Half>("half") + sums<Half>("half");
    failed += check<Bfloat16>("bfloat16") + sums<Bfloat16>("bfloat16");
    return failed != 0;
}
