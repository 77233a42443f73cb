// What NVIDIA's compiler takes and clang refuses: objects with constructors in shared memory,
// `alignas` behind `__shared__`, members that are templates without the word, launches with spaces
// in their signs, directives in macros, specializations for one side, and in assembly registers by
// their names and operands without commas, functions that a macro makes the device's in the device's
// pass alone. With `-DRACY` a barrier is missing, which has to be found at its line. Prints what the
// host computes, too.
#include <cuda_runtime.h>
#include <cstdio>

#define UNROLLED #pragma unroll 4
#define LANE(to) asm("mov.u32 %0, %laneid;" : "=r"(to))

struct Complex {
    float re, im;
    __host__ __device__ Complex() : re(0), im(0) {}
    __host__ __device__ Complex(float re, float im) : re(re), im(im) {}
    __host__ __device__ ~Complex() {}
};

template <class T> struct Scaled {
    template <int N> static __host__ __device__ T by(T value) { return value * N; }
};
template <class T> __host__ __device__ T threefold(T value) { return Scaled<T>::by<3>(value); }

template <class T> __host__ __device__ T more(T value);
#ifdef __CUDA_ARCH__
template <> inline __device__ int more(int value) { return __brev(__brev(value)); }
#else
template <> inline __host__ int more(int value) { return value; }
#endif

#ifdef __CUDA_ARCH__
#define SIDES __host__ __device__
#else
#define SIDES
#endif
struct Kept {
    static SIDES int same(int value) { return value; }
};
inline SIDES int kept(int value) { return Kept::same(value); }

template <class T, int N> __global__ void turned(T *to) {
    __shared__ Complex tile[N],
        one;
    __shared__ alignas(16) T raw[N];
    tile[threadIdx.x] = Complex(threadIdx.x, -1.0f);
    if (threadIdx.x == 0) one = Complex(5, 2);
    raw[threadIdx.x] = threadIdx.x + 1;
#ifndef RACY
    __syncthreads();
#endif
    int other = N - 1 - threadIdx.x;
    T ones = 0;
    UNROLLED
    for (int i = 0; i < 4; i++) ones += more(i);
    unsigned lane, block;
    LANE(lane);
    asm volatile("{ .reg .u32 %%t;\n"
                 "mov.u32 %%t, %ctaid.x; add.u32 %0, %%t, %nctaid.x; }"
                 : "=r"(block));
    asm("add.u32 %0, %1, %2;" : "=r"(block) : "r"(block) "n"(0));
    ones += lane - threadIdx.x % 32 + (block - 1) + kept(0) + Kept::same(0);
    to[threadIdx.x] = ones + threefold((T)tile[other].re) + (T)one.im + raw[other]; // RACE
}

int main() {
    constexpr int n = 64;
    int *device, host[n];
    cudaMalloc(&device, sizeof host);
    turned<int, n>
        << < 1, n >> > (device);
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
#ifndef RACY
    for (int i = 0; i < n; i++) {
        int other = n - 1 - i;
        if (host[i] != 6 + 3 * other + 2 + other + 1) return printf("%d: %d\n", i, host[i]);
    }
#endif
    printf("as NVIDIA's compiler takes it\n");
    return 0;
}
