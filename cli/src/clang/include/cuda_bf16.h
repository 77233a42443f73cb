// `__nv_bfloat16` and `__nv_bfloat162` (CUDA math API, "Bfloat16 Precision Intrinsics"): see warpsim/narrow.h for what there is.
#pragma once
#pragma GCC system_header
#include "warpsim/narrow.h"

// The bits alone.
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };
struct __nv_bfloat16 : __warpsim_one16<__warpsim_upper16> {
    using __warpsim_one16::__warpsim_one16;
    __nv_bfloat16() = default;
    __host__ __device__ __inline__ __nv_bfloat16(__nv_bfloat16_raw bits) { __x = bits.x; }
    __host__ __device__ __inline__ operator __nv_bfloat16_raw() const { return {__x}; }
};
struct __nv_bfloat162 : __warpsim_two16<__warpsim_upper16> {
    using __warpsim_two16::__warpsim_two16;
    __nv_bfloat162() = default;
    __host__ __device__ __inline__ __nv_bfloat162(__nv_bfloat162_raw bits) : __nv_bfloat162(__nv_bfloat16(__nv_bfloat16_raw{bits.x}), __nv_bfloat16(__nv_bfloat16_raw{bits.y})) {}
    __host__ __device__ __inline__ operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
__warpsim_names(bfloat16, __nv_bfloat16, __nv_bfloat162)
static __host__ __device__ __inline__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
