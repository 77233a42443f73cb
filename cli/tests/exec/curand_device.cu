// cuRAND's device API: generators against what their papers publish and against plain code of the
// host, and what is made of their numbers. It prints what is wrong, and ends with the count of
// that.
#include <cmath>
#include <cstdio>
#include <vector>
#include <curand_kernel.h>

static int wrong = 0;
static void expect(bool holds, const char *what, double given = 0, double wanted = 0) {
    if (!holds) printf("%s: %.17g, not %.17g\n", what, given, wanted), wrong++;
}

static_assert(sizeof(curandState) == 48 && sizeof(curandStateMRG32k3a_t) == 48, "as in CUDA");
static_assert(sizeof(curandStatePhilox4_32_10_t) == 64 && sizeof(curandStateSobol32_t) == 140,
              "as in CUDA");
static_assert(sizeof(curandStateScrambledSobol64_t) == 536, "as in CUDA");

// Runs one thread that writes so many results.
template <class T, class Kernel, class... Arguments>
static std::vector<T> run(Kernel kernel, int count, Arguments... arguments) {
    T *on_device;
    std::vector<T> results(count);
    cudaMalloc(&on_device, count * sizeof(T));
    kernel<<<1, 1>>>(on_device, count, arguments...);
    cudaMemcpy(results.data(), on_device, count * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(on_device);
    return results;
}

template <class State>
__global__ void bits(unsigned *to, int count, unsigned long long seed, unsigned long long sequence,
                     unsigned long long offset) {
    State s;
    curand_init(seed, sequence, offset, &s);
    for (int i = 0; i < count; i++) to[i] = curand(&s);
}

// Philox: `kat_vectors` of Random123.
__global__ void philox_blocks(uint4 *to, int) {
    to[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
    to[1] = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
    to[2] = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
                                 make_uint2(0xa4093822, 0x299f31d0));
}
__global__ void philox_fours(unsigned *to, int) {
    for (unsigned first = 0; first < 4; first++) {
        curandStatePhilox4_32_10_t s;
        curand_init(7, 3, first, &s);
        uint4 a = curand4(&s);
        unsigned next = curand(&s), row[] = {a.x, a.y, a.z, a.w, next};
        for (unsigned word : row) *to++ = word;
    }
}
__global__ void philox_around(unsigned *to, int) {
    curandStatePhilox4_32_10_t a, b;
    curand_init(7, 2, 5, &a);
    for (int i = 0; i < 8; i++) skipahead(1ull << 63, &a);
    curand_init(7, 3, 5, &b);
    to[0] = curand(&a);
    to[1] = curand(&b);
}
static void philox() {
    const unsigned known[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                  {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    std::vector<uint4> blocks = run<uint4>(philox_blocks, 3);
    for (int i = 0; i < 3; i++) {
        unsigned words[] = {blocks[i].x, blocks[i].y, blocks[i].z, blocks[i].w};
        for (int k = 0; k < 4; k++)
            expect(words[k] == known[i][k], "philox", words[k], known[i][k]);
    }
    std::vector<unsigned> all =
        run<unsigned>(bits<curandStatePhilox4_32_10_t>, 16, 7ull, 3ull, 0ull);
    std::vector<unsigned> fours = run<unsigned>(philox_fours, 20);
    for (int i = 0; i < 20; i++)
        expect(fours[i] == all[i / 5 + i % 5], "curand4", fours[i], all[i / 5 + i % 5]);
    std::vector<unsigned> two = run<unsigned>(philox_around, 2);
    expect(two[0] == two[1], "a subsequence of philox is 2^66 numbers", two[0], two[1]);
}

// MRG32k3a: the first numbers of L'Ecuyer's generator from a state of 12345s, and of its next
// substream.
__global__ void mrg_numbers(double *to, int count, unsigned long long sequence) {
    curandStateMRG32k3a s;
    curand_init(0, sequence, 0, &s);
    for (int i = 0; i < count; i++) to[i] = curand_MRG32k3a(&s);
}
static void mrg32k3a() {
    const double known[2][5] = {{545508589, 1368065410, 1327943761, 3546985096, 951893194},
                                {0.07939898979733463 * 4294967088, 0.4803395047575741 * 4294967088,
                                 0.8583222470551328 * 4294967088}};
    for (int sequence = 0; sequence < 2; sequence++) {
        int count = sequence ? 3 : 5;
        std::vector<double> z = run<double>(mrg_numbers, count, (unsigned long long)sequence);
        for (int i = 0; i < count; i++)
            expect(fabs(z[i] - known[sequence][i]) < 1e-4, "mrg32k3a", z[i], known[sequence][i]);
    }
}

// XORWOW: the paper's recurrence, seeded as cuRAND seeds it. Subsequences: from cuRAND 10.3.10.
static std::vector<unsigned> recurrence(unsigned long long seed, int skipped, int count) {
    unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u),
             high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    unsigned x = 123456789 + low, y = 362436069 ^ low, z = 521288629 + high, w = 88675123 ^ high,
             v = 5783321 + low;
    unsigned d = 6615241 + low + high;
    std::vector<unsigned> all;
    for (int i = 0; i < skipped + count; i++) {
        unsigned t = x ^ (x >> 2);
        x = y, y = z, z = w, w = v;
        v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        d += 362437;
        if (i >= skipped) all.push_back(v + d);
    }
    return all;
}
static void xorwow() {
    for (unsigned long long seed : {0ull, 1234ull, 0x123456789abcdefull}) {
        for (int offset : {0, 1, 2, 15, 16, 1000, 70000}) {
            std::vector<unsigned> given =
                run<unsigned>(bits<curandState>, 5, seed, 0ull, (unsigned long long)offset);
            expect(given == recurrence(seed, offset, 5), "xorwow, offset", offset);
        }
    }
    expect(run<unsigned>(bits<curandState>, 1, 1234ull, 1ull, 0ull)[0] == 0xd1f7605a,
           "xorwow, subsequence 1");
    expect(run<unsigned>(bits<curandState>, 1, 1234ull, 2ull, 0ull)[0] == 0x8ce6f6f8,
           "xorwow, subsequence 2");
}

// Skipping is as many steps, and sequences are what `curand_init` makes of them.
template <class State> __global__ void skips(unsigned *to, int) {
    State a, b;
    curand_init(5, 0, 3, &a);
    curand_init(5, 0, 0, &b);
    for (int i = 0; i < 103; i++) curand(&b);
    skipahead(100ull, &a);
    to[0] = curand(&a);
    to[1] = curand(&b);
}
template <class State> __global__ void jumps(unsigned *to, int) {
    State a, b;
    curand_init(5, 19, 2, &a);
    curand_init(5, 4, 2, &b);
    skipahead_sequence(15ull, &b);
    to[0] = curand(&a);
    to[1] = curand(&b);
}
__global__ void mrg_jumps(unsigned *to, int) {
    curandStateMRG32k3a a, b;
    curand_init(5, 19, 2, &a);
    curand_init(5, 4, 2, &b);
    skipahead_subsequence(15ull, &b);
    to[0] = curand(&a);
    to[1] = curand(&b);
    // 2^51 subsequences are a sequence.
    skipahead_subsequence(1ull << 51, &a);
    skipahead_sequence(1ull, &b);
    to[2] = curand(&a);
    to[3] = curand(&b);
}
static void skipping() {
    for (auto kernel :
         {skips<curandState>, skips<curandStateMRG32k3a>, skips<curandStatePhilox4_32_10_t>,
          jumps<curandState>, jumps<curandStatePhilox4_32_10_t>}) {
        std::vector<unsigned> two = run<unsigned>(kernel, 2);
        expect(two[0] == two[1], "skipping", two[0], two[1]);
    }
    std::vector<unsigned> four = run<unsigned>(mrg_jumps, 4);
    expect(four[0] == four[1] && four[2] == four[3], "skipping subsequences");
}

// Sobol: of the first dimension, a number is the mirror image of its index's Gray code.
template <class State, class T, int width> __global__ void plain(T *to, int count, T offset) {
    T v[width];
    State s;
    for (int k = 0; k < width; k++) v[k] = (T)1 << (width - 1 - k);
    curand_init(v, offset, &s);
    for (int i = 0; i < count - 1; i++) to[i] = curand(&s);
    skipahead((T)1000, &s);
    to[count - 1] = curand(&s);
}
template <class State, class T, int width> __global__ void scrambled(T *to, int count, T offset) {
    T v[width];
    State s;
    for (int k = 0; k < width; k++) v[k] = (T)1 << (width - 1 - k);
    curand_init(v, (T)0x12345678, offset, &s);
    for (int i = 0; i < count; i++) to[i] = curand(&s) ^ (T)0x12345678;
}
template <class T, int width> static T mirrored(T index) {
    T gray = index ^ (index >> 1), number = 0;
    for (int k = 0; k < width; k++) number |= (gray >> k & 1) << (width - 1 - k);
    return number;
}
template <class Plain, class Scrambled, class T, int width> static void sobol() {
    for (T offset : {(T)0, (T)1, (T)1000, (T)0x7fffffff, (T)-3}) {
        std::vector<T> given = run<T>(plain<Plain, T, width>, 6, offset),
                       other = run<T>(scrambled<Scrambled, T, width>, 5, offset);
        for (int i = 0; i < 5; i++) {
            T wanted = mirrored<T, width>(offset + i);
            // Behind the last index, a sequence ends: cuRAND goes on with the last vector.
            if (offset + i < offset) break;
            expect(given[i] == wanted && other[i] == wanted, "sobol", given[i], wanted);
        }
        T far = mirrored<T, width>(offset + 1005);
        expect(given[5] == far, "sobol, skipped", given[5], far);
    }
}

// Uniform numbers, by their definition.
template <class State> __global__ void uniforms(double *to, int) {
    State s, raw;
    curand_init(9, 1, 0, &s);
    curand_init(9, 1, 0, &raw);
    for (int i = 0; i < 8; i++) *to++ = curand_uniform(&s), *to++ = curand(&raw);
    for (int i = 0; i < 8; i++)
        *to++ = curand_uniform_double(&s), *to++ = curand(&raw),
        *to++ = sizeof(s) == 48 ? curand(&raw) : 0;
}
__global__ void ends(double *to, int) {
    to[0] = _curand_uniform(0u), to[1] = _curand_uniform(~0u);
    to[2] = _curand_uniform_double(0u), to[3] = _curand_uniform_double(~0u);
}
static void uniform() {
    std::vector<double> range = run<double>(ends, 4);
    expect(range[0] == 0x1p-33 && range[1] == 1 && range[2] == 0x1p-32 && range[3] == 1,
           "uniform numbers are in (0, 1]");
    std::vector<double> given = run<double>(uniforms<curandState>, 40),
                        single = run<double>(uniforms<curandStatePhilox4_32_10_t>, 40);
    for (int i = 0; i < 8; i++) {
        float wanted = (float)((float)given[2 * i + 1] * 0x1p-32 + 0x1p-33);
        expect((float)given[2 * i] == wanted, "uniform", given[2 * i], wanted);
        double *two = &given[16 + 3 * i], *one = &single[16 + 3 * i];
        double both =
            (double)((unsigned long long)two[1] ^ (unsigned long long)two[2] << 21) * 0x1p-53 +
            0x1p-54;
        expect(two[0] == both, "uniform double", two[0], both);
        expect(one[0] == one[1] * 0x1p-32 + 0x1p-32, "uniform double of one number", one[0]);
    }
}

// Pairs of normal numbers: sine and cosine of the same two numbers, also of those that are kept for
// the next call.
__global__ void normals(double *to, int) {
    curandState s, raw;
    curand_init(9, 1, 0, &s);
    raw = s;
    for (int i = 0; i < 4; i++) {
        *to++ = curand_normal(&s), *to++ = curand_normal(&s), *to++ = curand(&raw),
        *to++ = curand(&raw);
    }
    float2 pair = curand_normal2(&s);
    *to++ = pair.x, *to++ = pair.y, *to++ = curand(&raw), *to++ = curand(&raw);
    // One that is kept belongs to its own distribution.
    curandState other = s;
    curand_normal(&s), curand_normal(&other);
    *to++ = curand_log_normal(&s, 1.0f, 0.5f);
    *to++ = log(curand_log_normal(&s, 1.0f, 0.5f)) / 0.5 - 2, *to++ = 0, *to++ = 0;
}
static void normal() {
    std::vector<double> given = run<double>(normals, 24);
    for (int i = 0; i < 5; i++) {
        double *four = &given[4 * i], radius = sqrt(-2 * log(four[2] * 0x1p-32 + 0x1p-33));
        double angle = (four[3] * 0x1p-32 + 0x1p-33) * 2 * M_PI;
        // `__sincosf` is within 2^-21.
        expect(fabs(four[0] - radius * sin(angle)) < 1e-5, "normal", four[0], radius * sin(angle));
        expect(fabs(four[1] - radius * cos(angle)) < 1e-5, "normal", four[1], radius * cos(angle));
    }
    expect(given[20] > 0 && fabs(given[21]) < 7, "log normal");
}

// Mean and variance of many numbers of many threads, within five standard errors.
struct Sums {
    double sum, squares;
};
enum Distribution {
    UNIFORM,
    UNIFORM_DOUBLE,
    NORMAL,
    NORMAL_DOUBLE,
    LOG_NORMAL,
    LOG_NORMAL_DOUBLE,
    POISSON
};
template <class State> __device__ double drawn(State *s, int kind, double lambda) {
    switch (kind) {
    case UNIFORM: return curand_uniform(s);
    case UNIFORM_DOUBLE: return curand_uniform_double(s);
    case NORMAL: return curand_normal(s);
    case NORMAL_DOUBLE: return curand_normal_double(s);
    case LOG_NORMAL: return curand_log_normal(s, 0.0f, 0.25f);
    case LOG_NORMAL_DOUBLE: return curand_log_normal_double(s, 0.0, 0.25);
    default: return curand_poisson(s, lambda);
    }
}
template <class State> __global__ void many(Sums *sums, int kind, double lambda, int each) {
    State s;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(2024, thread, kind, &s);
    Sums own = {};
    for (int i = 0; i < each; i++) {
        double x = drawn(&s, kind, lambda);
        own.sum += x, own.squares += x * x;
    }
    sums[thread] = own;
}
template <class State> static void distributions(const char *name) {
    const int threads = 256, each = 64;
    struct Case {
        Distribution kind;
        double lambda, mean, variance, fourth;
    };
    const double g = exp(0.0625), log_variance = (g - 1) * g;
    // The fourth central moment of a log-normal distribution, by its kurtosis.
    const double log_fourth =
        (pow(g, 4) + 2 * pow(g, 3) + 3 * g * g - 3) * log_variance * log_variance;
    const Case cases[] = {{UNIFORM, 0, 0.5, 1 / 12.0, 1 / 80.0},
                          {UNIFORM_DOUBLE, 0, 0.5, 1 / 12.0, 1 / 80.0},
                          {NORMAL, 0, 0, 1, 3},
                          {NORMAL_DOUBLE, 0, 0, 1, 3},
                          {LOG_NORMAL, 0, sqrt(g), log_variance, log_fourth},
                          {LOG_NORMAL_DOUBLE, 0, sqrt(g), log_variance, log_fourth},
                          {POISSON, 3, 3, 3, 30},
                          {POISSON, 100, 100, 100, 30100},
                          {POISSON, 5000, 5000, 5000, 75005000}};
    Sums *sums;
    cudaMallocManaged(&sums, threads * sizeof(Sums));
    for (const Case &c : cases) {
        many<State><<<4, threads / 4>>>(sums, c.kind, c.lambda, each);
        cudaDeviceSynchronize();
        double sum = 0, squares = 0, count = threads * each;
        for (int i = 0; i < threads; i++) sum += sums[i].sum, squares += sums[i].squares;
        double mean = sum / count, variance = squares / count - mean * mean;
        expect(fabs(mean - c.mean) < 5 * sqrt(c.variance / count), name, mean, c.mean);
        expect(fabs(variance - c.variance) < 5 * sqrt((c.fourth - c.variance * c.variance) / count),
               name, variance, c.variance);
    }
    cudaFree(sums);
}

int main() {
    philox();
    mrg32k3a();
    xorwow();
    skipping();
    sobol<curandStateSobol32_t, curandStateScrambledSobol32_t, unsigned, 32>();
    sobol<curandStateSobol64_t, curandStateScrambledSobol64_t, unsigned long long, 64>();
    uniform();
    normal();
    distributions<curandState>("xorwow");
    distributions<curandStateMRG32k3a>("mrg32k3a");
    distributions<curandStatePhilox4_32_10_t>("philox");
    expect(cudaDeviceSynchronize() == cudaSuccess, "an error");
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
