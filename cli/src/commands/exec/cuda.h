// CUDA's common language for clang, where no headers of NVIDIA's are: what `warpsim exec FILE.cu` includes before FILE.cu.
//
// Built-in variables come from clang's own header. Vector types, barriers, fences, shuffles, votes, atomics, and the math
// that needs no device library are here; so are the functions of the runtime API that warpsim has. What is missing is a
// compile error that names it.
#pragma once
#if !defined(__clang__) || !defined(__CUDA__)
#error "compile this with clang, as CUDA"
#endif

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __warpsim_both static __inline__ __host__ __device__
#define __warpsim_device static __inline__ __device__

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern "C" {
__device__ int printf(const char *, ...);
__device__ int vprintf(const char *, const char *);
__device__ void *malloc(size_t);
__device__ void free(void *);
}

// Vector types.
#define __warpsim_vector(T, name, alignment2, alignment4)                                          \
    struct name##1 { T x; };                                                                       \
    struct __align__(alignment2) name##2 { T x, y; };                                              \
    struct name##3 { T x, y, z; };                                                                 \
    struct __align__(alignment4) name##4 { T x, y, z, w; };                                        \
    __warpsim_both name##1 make_##name##1(T x) { return {x}; }                                     \
    __warpsim_both name##2 make_##name##2(T x, T y) { return {x, y}; }                             \
    __warpsim_both name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                     \
    __warpsim_both name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
__warpsim_vector(signed char, char, 2, 4)
__warpsim_vector(unsigned char, uchar, 2, 4)
__warpsim_vector(short, short, 4, 8)
__warpsim_vector(unsigned short, ushort, 4, 8)
__warpsim_vector(int, int, 8, 16)
__warpsim_vector(unsigned, uint, 8, 16)
__warpsim_vector(long long, longlong, 16, 16)
__warpsim_vector(unsigned long long, ulonglong, 16, 16)
__warpsim_vector(float, float, 8, 16)
__warpsim_vector(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

#include <__clang_cuda_builtin_vars.h>

// Barriers and fences.
// (`__syncthreads()` itself is clang's.)
__warpsim_device int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__warpsim_device int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__warpsim_device int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__warpsim_device void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
__warpsim_device void __threadfence_block() { __nvvm_membar_cta(); }
__warpsim_device void __threadfence() { __nvvm_membar_gl(); }
__warpsim_device void __threadfence_system() { __nvvm_membar_sys(); }
__warpsim_device void __trap() { __asm__ volatile("trap;"); }

// Votes and shuffles.
__warpsim_device unsigned __activemask() { unsigned m; __asm__ volatile("activemask.b32 %0;" : "=r"(m)); return m; }
__warpsim_device int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
__warpsim_device int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
__warpsim_device unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
#define __warpsim_shuffle(name, builtin, last)                                                     \
    __warpsim_device int name(unsigned mask, int v, int by, int width = 32) {                      \
        return builtin##i32(mask, v, by, ((32 - width) << 8) | (last));                            \
    }                                                                                              \
    __warpsim_device unsigned name(unsigned mask, unsigned v, int by, int width = 32) {            \
        return (unsigned)name(mask, (int)v, by, width);                                            \
    }                                                                                              \
    __warpsim_device float name(unsigned mask, float v, int by, int width = 32) {                  \
        return builtin##f32(mask, v, by, ((32 - width) << 8) | (last));                            \
    }                                                                                              \
    __warpsim_device long long name(unsigned mask, long long v, int by, int width = 32) {          \
        unsigned low = name(mask, (unsigned)v, by, width);                                         \
        unsigned high = name(mask, (unsigned)((unsigned long long)v >> 32), by, width);            \
        return (long long)((unsigned long long)high << 32 | low);                                  \
    }                                                                                              \
    __warpsim_device double name(unsigned mask, double v, int by, int width = 32) {                \
        long long bits = name(mask, __builtin_bit_cast(long long, v), by, width);                  \
        return __builtin_bit_cast(double, bits);                                                   \
    }
__warpsim_shuffle(__shfl_sync, __nvvm_shfl_sync_idx_, 31)
__warpsim_shuffle(__shfl_up_sync, __nvvm_shfl_sync_up_, 0)
__warpsim_shuffle(__shfl_down_sync, __nvvm_shfl_sync_down_, 31)
__warpsim_shuffle(__shfl_xor_sync, __nvvm_shfl_sync_bfly_, 31)

// Atomics: relaxed, of the device, in global and in shared memory.
#define __warpsim_atomic(T, name, builtin)                                                         \
    __warpsim_device T name(T *p, T v) { return builtin(p, v, __ATOMIC_RELAXED); }
__warpsim_atomic(int, atomicAdd, __atomic_fetch_add)
__warpsim_atomic(unsigned, atomicAdd, __atomic_fetch_add)
__warpsim_atomic(unsigned long long, atomicAdd, __atomic_fetch_add)
__warpsim_device float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
__warpsim_device double atomicAdd(double *p, double v) {
    double old;
    __asm__ volatile("atom.add.f64 %0, [%1], %2;" : "=d"(old) : "l"(p), "d"(v) : "memory");
    return old;
}
__warpsim_atomic(int, atomicSub, __atomic_fetch_sub)
__warpsim_atomic(unsigned, atomicSub, __atomic_fetch_sub)
__warpsim_atomic(int, atomicAnd, __atomic_fetch_and)
__warpsim_atomic(unsigned, atomicAnd, __atomic_fetch_and)
__warpsim_atomic(int, atomicOr, __atomic_fetch_or)
__warpsim_atomic(unsigned, atomicOr, __atomic_fetch_or)
__warpsim_atomic(int, atomicXor, __atomic_fetch_xor)
__warpsim_atomic(unsigned, atomicXor, __atomic_fetch_xor)
__warpsim_device int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
__warpsim_device int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
__warpsim_device unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
__warpsim_device unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
__warpsim_device int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
__warpsim_device unsigned atomicExch(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
__warpsim_device int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
__warpsim_device unsigned atomicCAS(unsigned *p, unsigned old, unsigned v) {
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v);
}
__warpsim_device unsigned long long atomicCAS(unsigned long long *p, unsigned long long old, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)old, (long long)v);
}
__warpsim_device unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
__warpsim_device unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }

// Integers, and math that is one instruction.
__warpsim_device int __popc(unsigned v) { return __builtin_popcount(v); }
__warpsim_device int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
__warpsim_device int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
__warpsim_device int __ffs(int v) { return __builtin_ffs(v); }
__warpsim_device unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
__warpsim_device float rsqrtf(float v) { return __nvvm_rsqrt_approx_f(v); }
__warpsim_device float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
__warpsim_device float __expf(float v) { return __nvvm_ex2_approx_f(v * 1.4426950408889634f); }
__warpsim_device float __logf(float v) { return __nvvm_lg2_approx_f(v) * 0.6931471805599453f; }
__warpsim_device float __sinf(float v) { return __nvvm_sin_approx_f(v); }
__warpsim_device float __cosf(float v) { return __nvvm_cos_approx_f(v); }
__warpsim_device long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
__device__ static __inline__ float sqrtf(float v) { return __nvvm_sqrt_rn_f(v); }
__device__ static __inline__ double sqrt(double v) { return __nvvm_sqrt_rn_d(v); }
__device__ static __inline__ float fabsf(float v) { return __builtin_fabsf(v); }
__device__ static __inline__ double fabs(double v) { return __builtin_fabs(v); }
__device__ static __inline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ static __inline__ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__device__ static __inline__ float fminf(float a, float b) { return __builtin_fminf(a, b); }
__device__ static __inline__ float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
__device__ static __inline__ float floorf(float v) { return __builtin_floorf(v); }
__device__ static __inline__ float ceilf(float v) { return __builtin_ceilf(v); }
__device__ static __inline__ int min(int a, int b) { return a < b ? a : b; }
__device__ static __inline__ int max(int a, int b) { return a > b ? a : b; }
__device__ static __inline__ unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
__device__ static __inline__ unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }


// The runtime API, as far as warpsim has it.
enum cudaError_t_ { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorNotReady = 600,
                    cudaErrorIllegalAddress = 700, cudaErrorAssert = 710, cudaErrorLaunchFailure = 719 };
typedef int cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
                      cudaMemcpyDefault };
enum { cudaMemAttachGlobal = 1, cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaHostAllocDefault = 0,
       cudaHostAllocMapped = 2, cudaEventDefault = 0, cudaEventDisableTiming = 2 };
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceGetAttribute(int *, int, int);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaMallocManaged(void **, size_t, unsigned = cudaMemAttachGlobal);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void *), void *);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
}
template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) { return cudaMalloc((void **)p, bytes); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes) { return cudaMallocHost((void **)p, bytes); }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)p, bytes, flags);
}
template <class T> cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
