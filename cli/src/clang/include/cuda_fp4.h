// Numbers of 4 bits, of which a byte holds two: `__nv_fp4_e2m1`, pairs and fours of them, and
// conversions (CUDA math API, "FP4 Intrinsics"): see warpsim/tiny.h.
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__
#pragma GCC system_header
#include "cuda_fp8.h"
#define __CUDA_FP4_TYPES_EXIST__

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

__warpsim_both unsigned __warpsim_tiny_of(double v, __nv_fp4_interpretation_t,
                                          enum cudaRoundMode rounding) {
    return __warpsim_e2m1::of(v, true, rounding);
}
__warpsim_both float __warpsim_tiny_single(unsigned v, __nv_fp4_interpretation_t) {
    return __warpsim_e2m1::single(v);
}
__warpsim_conversions(4, __nv_fp4_storage_t, __nv_fp4x2_storage_t, 4,
                      (const __nv_fp4_interpretation_t kind, const enum cudaRoundMode rounding),
                      (kind, rounding))
__warpsim_tiny_types(4, e2m1, __nv_fp4_storage_t, __nv_fp4x2_storage_t, __nv_fp4x4_storage_t)
#endif
