// `__half` and `__half2` (CUDA math API, "Half Precision Intrinsics"): see warpsim/narrow.h for what there is.
#pragma once
#pragma GCC system_header
#include "warpsim/narrow.h"

// The bits alone.
struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __half : __warpsim_one16<__warpsim_binary16> {
    using __warpsim_one16::__warpsim_one16;
    __half() = default;
    __host__ __device__ __inline__ __half(__half_raw bits) { __x = bits.x; }
    __host__ __device__ __inline__ operator __half_raw() const { return {__x}; }
};
struct __half2 : __warpsim_two16<__warpsim_binary16> {
    using __warpsim_two16::__warpsim_two16;
    __half2() = default;
    __host__ __device__ __inline__ __half2(__half2_raw bits) : __half2(__half(__half_raw{bits.x}), __half(__half_raw{bits.y})) {}
    __host__ __device__ __inline__ operator __half2_raw() const { return {x.__x, y.__x}; }
};
typedef __half half;
typedef __half2 half2;
__warpsim_names(half, __half, __half2)
static __host__ __device__ __inline__ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
