// What the calls of the lists are made of: a variable of each type, `p_` a pointer to one.
#include <cuComplex.h>
#include <cuda_awbarrier.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>

#define NAMED(T, name) static __device__ T name, *p_##name;
#define VECTOR(T) static __device__ T v_##T, *p_##T;
#define VECTORS(T) VECTOR(T##1) VECTOR(T##2) VECTOR(T##3) VECTOR(T##4)
NAMED(char, c) NAMED(signed char, sc) NAMED(unsigned char, uc) NAMED(short, s) NAMED(unsigned short, us) NAMED(int, i) NAMED(unsigned, u)
NAMED(long, l) NAMED(unsigned long, ul) NAMED(long long, ll) NAMED(unsigned long long, ull) NAMED(float, f) NAMED(double, d) NAMED(bool, b)
VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint) VECTORS(long) VECTORS(ulong) VECTORS(longlong)
VECTORS(ulonglong) VECTORS(float) VECTORS(double)
static __device__ void *p_void;
#define text "1"

#define OF(T, name) static __device__ T v_##name, *p_##name;
OF(__half, half) OF(__half2, half2) OF(__half_raw, half_raw) OF(__half2_raw, half2_raw) OF(__nv_bfloat16, nv_bfloat16)
OF(__nv_bfloat162, nv_bfloat162) OF(__nv_bfloat16_raw, nv_bfloat16_raw) OF(__nv_bfloat162_raw, nv_bfloat162_raw)
OF(__nv_saturation_t, nv_saturation_t) OF(__nv_fp8_interpretation_t, nv_fp8_interpretation_t) OF(__nv_fp6_interpretation_t, nv_fp6_interpretation_t)
OF(__nv_fp4_interpretation_t, nv_fp4_interpretation_t) OF(cudaRoundMode, cudaRoundMode)

// The call, whose result is of the type.
#define CALL(T, call)                                                                              \
    static_assert(__is_same(decltype(call), T), "the type of " #call);                             \
    (void)(call);
