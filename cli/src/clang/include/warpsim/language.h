// Qualifiers, vector types and built-in variables (CUDA C++ Programming Guide, "C++ Language Extensions").
//
// Managed variables (`__managed__`) and clusters are missing. Nothing of the C++ library may be included here: what is
// declared for the device has to be there first.
#pragma once

#define __CUDACC__ 1
#define CUDART_VERSION 12090
#define CUDA_VERSION 12090
#define CUDARTAPI
#define CUDART_CB

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#if !__has_attribute(grid_constant)
#define __grid_constant__
#else
#define __grid_constant__ __attribute__((grid_constant))
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
// A word of clang's own from version 15 on.
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

// How the functions of these headers are declared.
#define __warpsim_both static __inline__ __host__ __device__ __attribute__((always_inline))
// They have no lines of their own, so that what is found in them is told at the line of the program that calls them.
#define __warpsim_device static __inline__ __device__ __attribute__((always_inline, nodebug))

// Vector types. The alignments are those of the guide's table "Alignment Requirements".
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
__warpsim_vector(long, long, 16, 16)
__warpsim_vector(unsigned long, ulong, 16, 16)
__warpsim_vector(long long, longlong, 16, 16)
__warpsim_vector(unsigned long long, ulonglong, 16, 16)
__warpsim_vector(float, float, 8, 16)
__warpsim_vector(double, double, 16, 16)
#undef __warpsim_vector

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

#include <__clang_cuda_builtin_vars.h>
