// cuRAND's host API: its results are those of the device API in the order that is documented, in
// memory of the device and of the host; statuses of what is refused; streams. It prints what is
// wrong, and ends with the count of that.
//
// With RACY, a kernel reads results in a stream that does not wait for them.
#include <cmath>
#include <cstdio>
#include <vector>
#include <curand.h>
#include <curand_kernel.h>

static int wrong = 0;
static void expect(bool holds, const char *what, double given = 0, double wanted = 0) {
    if (!holds) printf("%s: %.17g, not %.17g\n", what, given, wanted), wrong++;
}
static void status(curandStatus_t given, curandStatus_t wanted, const char *what) {
    expect(given == wanted, what, given, wanted);
}

static curandGenerator_t make(curandRngType_t type, unsigned long long seed = 0,
                              bool on_host = false) {
    curandGenerator_t g = nullptr;
    status(on_host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type),
           CURAND_STATUS_SUCCESS, "create");
    if (seed) status(curandSetPseudoRandomGeneratorSeed(g, seed), CURAND_STATUS_SUCCESS, "seed");
    return g;
}
template <class T> static std::vector<T> copied(const T *from, size_t count) {
    std::vector<T> all(count);
    cudaMemcpy(all.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
    return all;
}

// The numbers at these places of all results, by the device API: place n is number `at` of a
// subsequence.
struct Place {
    unsigned long long n, subsequence, at;
};
template <class State>
__global__ void numbers(const Place *places, unsigned *to, float *uniforms,
                        unsigned long long seed) {
    Place place = places[threadIdx.x];
    State s;
    curand_init(seed, place.subsequence, place.at, &s);
    State again = s;
    to[threadIdx.x] = curand(&s);
    uniforms[threadIdx.x] = curand_uniform(&again);
}
template <class State, class Where>
static void order(curandRngType_t type, size_t count, Where where) {
    const unsigned long long seed = 0x1234567deadull;
    std::vector<Place> places;
    for (size_t n : {(size_t)0, (size_t)1, (size_t)5, (size_t)4095, (size_t)4096, (size_t)4099,
                     count / 2, count - 7, count - 1}) {
        Place place = where(n);
        place.n = n;
        places.push_back(place);
    }
    Place *on_device;
    unsigned *to, *all;
    float *uniforms, *all_uniforms;
    cudaMalloc(&on_device, places.size() * sizeof(Place));
    cudaMalloc(&to, places.size() * sizeof *to);
    cudaMalloc(&uniforms, places.size() * sizeof *uniforms);
    cudaMalloc(&all, count * sizeof *all);
    cudaMalloc(&all_uniforms, count * sizeof *all_uniforms);
    cudaMemcpy(on_device, places.data(), places.size() * sizeof(Place), cudaMemcpyHostToDevice);
    numbers<State><<<1, places.size()>>>(on_device, to, uniforms, seed);
    curandGenerator_t g = make(type, seed), h = make(type, seed, true);
    // In parts: the second call goes on behind the first.
    status(curandGenerate(g, all, 101), CURAND_STATUS_SUCCESS, "generate");
    status(curandGenerate(g, all + 101, count - 101), CURAND_STATUS_SUCCESS, "generate");
    status(curandSetGeneratorOffset(g, 0), CURAND_STATUS_SUCCESS, "offset");
    status(curandGenerateUniform(g, all_uniforms, count), CURAND_STATUS_SUCCESS, "generate");
    std::vector<unsigned> given = copied(all, count), wanted = copied(to, places.size()),
                          on_host(count);
    std::vector<float> given_uniforms = copied(all_uniforms, count),
                       wanted_uniforms = copied(uniforms, places.size());
    for (size_t i = 0; i < places.size(); i++) {
        size_t n = places[i].n;
        expect(given[n] == wanted[i] && given_uniforms[n] == wanted_uniforms[i], "order", given[n],
               wanted[i]);
    }
    status(curandGenerate(h, on_host.data(), count), CURAND_STATUS_SUCCESS, "generate");
    expect(on_host == given, "a generator of the host");
    curandDestroyGenerator(g), curandDestroyGenerator(h);
    for (void *p :
         {(void *)on_device, (void *)to, (void *)uniforms, (void *)all, (void *)all_uniforms})
        cudaFree(p);
}

// Points of the host API against the device API with the same vectors.
__global__ void points(const unsigned *vectors, unsigned constant, unsigned *plain,
                       unsigned *scrambled, int count) {
    curandStateSobol32_t a;
    curandStateScrambledSobol32_t b;
    curand_init(const_cast<unsigned *>(vectors), 0, &a);
    curand_init(const_cast<unsigned *>(vectors) + 32, constant, 0, &b);
    for (int i = 0; i < count; i++) plain[i] = curand(&a), scrambled[i] = curand(&b);
}
static void quasi() {
    const int dimensions = 7, count = 50, dimension = 4;
    curandDirectionVectors32_t *plain, *scrambled;
    unsigned *constants;
    status(curandGetDirectionVectors32(&plain, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
           CURAND_STATUS_SUCCESS, "vectors");
    status(curandGetDirectionVectors32(&scrambled, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6),
           CURAND_STATUS_SUCCESS, "vectors");
    status(curandGetScrambleConstants32(&constants), CURAND_STATUS_SUCCESS, "constants");
    // Joe and Kuo's initial numbers of their dimension 5, of degree 3: 1, 1, 1.
    expect(plain[4][0] == 0x80000000 && plain[4][1] == 0x40000000 && plain[4][2] == 0x20000000,
           "vectors");
    unsigned *vectors, *to, *all;
    cudaMalloc(&vectors, 256);
    cudaMalloc(&to, 2 * count * sizeof *to);
    cudaMalloc(&all, dimensions * count * sizeof *all);
    cudaMemcpy(vectors, plain[dimension], 128, cudaMemcpyHostToDevice);
    cudaMemcpy(vectors + 32, scrambled[dimension], 128, cudaMemcpyHostToDevice);
    points<<<1, 1>>>(vectors, constants[dimension], to, to + count, count);
    for (int is_scrambled = 0; is_scrambled < 2; is_scrambled++) {
        curandGenerator_t g =
            make(is_scrambled ? CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 : CURAND_RNG_QUASI_DEFAULT);
        status(curandSetQuasiRandomGeneratorDimensions(g, dimensions), CURAND_STATUS_SUCCESS,
               "dimensions");
        status(curandGenerate(g, all, dimensions * count), CURAND_STATUS_SUCCESS, "generate");
        std::vector<unsigned> wanted = copied(to + is_scrambled * count, count),
                              given = copied(all + dimension * count, count);
        expect(given == wanted, is_scrambled ? "scrambled points" : "points");
        curandDestroyGenerator(g);
    }
    cudaFree(vectors), cudaFree(to), cudaFree(all);
}

// A distribution's tables, in device code.
__global__ void discrete(curandDiscreteDistribution_t of, unsigned *to, int each) {
    curandStatePhilox4_32_10_t s;
    curand_init(3, threadIdx.x, 0, &s);
    for (int i = 0; i < each; i++) to[threadIdx.x * each + i] = curand_discrete(&s, of);
}
static void poisson() {
    const int threads = 128, each = 64, count = threads * each;
    unsigned *to;
    cudaMalloc(&to, count * sizeof *to);
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_MRG32K3A, 5);
    for (double lambda : {0.5, 20.0, 1500.0, 3000.0}) {
        curandDiscreteDistribution_t of;
        status(curandCreatePoissonDistribution(lambda, &of), CURAND_STATUS_SUCCESS, "distribution");
        for (int is_of_host = 0; is_of_host < 2; is_of_host++) {
            if (is_of_host)
                status(curandGeneratePoisson(g, to, count, lambda), CURAND_STATUS_SUCCESS,
                       "poisson");
            else
                discrete<<<1, threads>>>(of, to, each);
            double sum = 0, squares = 0;
            for (unsigned k : copied(to, count)) sum += k, squares += (double)k * k;
            double mean = sum / count, variance = squares / count - mean * mean;
            // Five standard errors; the fourth central moment is lambda (1 + 3 lambda).
            expect(fabs(mean - lambda) < 5 * sqrt(lambda / count), "poisson, mean", mean, lambda);
            expect(fabs(variance - lambda) < 5 * sqrt((lambda + 2 * lambda * lambda) / count),
                   "poisson, variance", variance, lambda);
        }
        status(curandDestroyDistribution(of), CURAND_STATUS_SUCCESS, "distribution");
    }
    curandDestroyGenerator(g);
    cudaFree(to);
}

static void normals() {
    const int count = 20000;
    double *to;
    cudaMallocManaged(&to, count * sizeof *to);
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_DEFAULT, 11);
    status(curandGenerateLogNormalDouble(g, to, count, 1.0, 0.5), CURAND_STATUS_SUCCESS,
           "log normal");
    cudaDeviceSynchronize();
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) sum += log(to[i]), squares += log(to[i]) * log(to[i]);
    double mean = sum / count, variance = squares / count - mean * mean;
    expect(fabs(mean - 1) < 5 * 0.5 / sqrt(count), "log normal, mean", mean, 1);
    expect(fabs(variance - 0.25) < 5 * 0.25 * sqrt(2.0 / count), "log normal, variance", variance,
           0.25);
    curandDestroyGenerator(g);
    cudaFree(to);
}

__global__ void doubled(float *numbers) { numbers[threadIdx.x] *= 2; }

static void streams() {
    float *to;
    cudaStream_t first, second;
    cudaEvent_t generated;
    cudaMalloc(&to, 32 * sizeof *to);
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking),
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreate(&generated);
    curandGenerator_t g = make(CURAND_RNG_PSEUDO_PHILOX4_32_10, 1);
    status(curandSetStream(g, first), CURAND_STATUS_SUCCESS, "stream");
    status(curandGenerateUniform(g, to, 32), CURAND_STATUS_SUCCESS, "generate");
    doubled<<<1, 32, 0, first>>>(to);
    cudaEventRecord(generated, first);
#ifndef RACY
    cudaStreamWaitEvent(second, generated, 0);
#endif
    doubled<<<1, 32, 0, second>>>(to); // RACE
    cudaDeviceSynchronize();
    std::vector<float> given = copied(to, 32);
    for (float x : given) expect(x > 0 && x <= 4, "a stream", x);
    // What is captured would have to be generated anew by each launch of the graph.
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed);
    status(curandGenerateUniform(g, to, 32), CURAND_STATUS_LAUNCH_FAILURE,
           "a stream that is captured");
    expect(cudaStreamEndCapture(first, &graph) != cudaSuccess, "the capture is over");
    cudaGetLastError();
    curandDestroyGenerator(g);
    cudaEventDestroy(generated), cudaStreamDestroy(first), cudaStreamDestroy(second), cudaFree(to);
}

static void refused() {
    curandGenerator_t g = nullptr, pseudo = make(CURAND_RNG_PSEUDO_XORWOW),
                      points = make(CURAND_RNG_QUASI_SOBOL32);
    status(curandCreateGenerator(&g, (curandRngType_t)7), CURAND_STATUS_TYPE_ERROR,
           "no such generator");
    status(curandGenerate(nullptr, nullptr, 1), CURAND_STATUS_NOT_INITIALIZED, "no generator");
    status(curandSetStream(nullptr, nullptr), CURAND_STATUS_NOT_INITIALIZED, "no generator");
    status(curandDestroyGenerator(nullptr), CURAND_STATUS_NOT_INITIALIZED, "no generator");
    status(curandSetQuasiRandomGeneratorDimensions(points, 0), CURAND_STATUS_OUT_OF_RANGE,
           "no dimensions");
    status(curandSetQuasiRandomGeneratorDimensions(points, 20001), CURAND_STATUS_OUT_OF_RANGE,
           "too many dimensions");
    status(curandSetQuasiRandomGeneratorDimensions(pseudo, 2), CURAND_STATUS_TYPE_ERROR,
           "dimensions of no points");
    status(curandSetPseudoRandomGeneratorSeed(points, 1), CURAND_STATUS_TYPE_ERROR,
           "a seed of points");
    status(curandSetGeneratorOrdering(points, CURAND_ORDERING_PSEUDO_LEGACY),
           CURAND_STATUS_OUT_OF_RANGE, "an order");
    float *to;
    cudaMalloc(&to, 64);
    status(curandGenerateNormal(pseudo, to, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE,
           "no whole pairs");
    status(curandGeneratePoisson(pseudo, (unsigned *)to, 2, 0), CURAND_STATUS_OUT_OF_RANGE,
           "no mean");
    status(curandGenerateLongLong(pseudo, (unsigned long long *)to, 2), CURAND_STATUS_TYPE_ERROR,
           "numbers of 64 bits");
    status(curandGenerateUniform(pseudo, nullptr, 2), CURAND_STATUS_LAUNCH_FAILURE, "no memory");
    curandDirectionVectors32_t *vectors;
    status(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
           CURAND_STATUS_OUT_OF_RANGE, "vectors");
    int version = 0, major = 0;
    status(curandGetVersion(&version), CURAND_STATUS_SUCCESS, "version");
    status(curandGetProperty(MAJOR_VERSION, &major), CURAND_STATUS_SUCCESS, "version");
    expect(version == CURAND_VERSION && major == CURAND_VER_MAJOR, "version", version,
           CURAND_VERSION);
    curandDestroyGenerator(pseudo), curandDestroyGenerator(points);
    status(curandDestroyGenerator(points), CURAND_STATUS_NOT_INITIALIZED,
           "a generator that is gone");
    cudaFree(to);
}

int main() {
    order<curandState>(CURAND_RNG_PSEUDO_XORWOW, 12000,
                       [](size_t n) { return Place{0, n % 4096, n / 4096}; });
    order<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A, 170000,
                               [](size_t n) { return Place{0, n % 81920, n / 81920}; });
    order<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 270000, [](size_t n) {
        return Place{0, n / 4 % 65536, n / 262144 * 4 + n % 4};
    });
    quasi();
    poisson();
    normals();
    streams();
    refused();
    expect(cudaDeviceSynchronize() == cudaSuccess, "an error");
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
