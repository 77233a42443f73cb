// Vector types (CUDA C++ Programming Guide, "Built-in Vector Types"; the alignments are those of its table "Alignment
// Requirements"), and `dim3`. The types of version 13 that say their alignment are here, too.
#if !defined(__VECTOR_TYPES_H__)
#define __VECTOR_TYPES_H__
#include "crt/host_defines.h"

#define __warpsim_vector(T, name, alignment2, alignment4)                                          \
    struct name##1 { T x; };                                                                       \
    struct __align__(alignment2) name##2 { T x, y; };                                              \
    struct name##3 { T x, y, z; };                                                                 \
    struct __align__(alignment4) name##4 { T x, y, z, w; };                                        \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;
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

#define __warpsim_aligned(T, name)                                                                 \
    struct __align__(16) name##_16a { T x, y, z, w; };                                             \
    struct __align__(32) name##_32a { T x, y, z, w; };                                             \
    typedef struct name##_16a name##_16a;                                                          \
    typedef struct name##_32a name##_32a;
__warpsim_aligned(long, long4)
__warpsim_aligned(unsigned long, ulong4)
__warpsim_aligned(long long, longlong4)
__warpsim_aligned(unsigned long long, ulonglong4)
__warpsim_aligned(double, double4)
#undef __warpsim_aligned

struct dim3 {
    unsigned x, y, z;
#if defined(__cplusplus)
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
