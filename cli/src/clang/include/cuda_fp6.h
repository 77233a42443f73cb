// Numbers of 6 bits, each in a byte of its own: `__nv_fp6_e2m3`, `__nv_fp6_e3m2`, pairs and fours
// of them, and conversions (CUDA math API, "FP6 Intrinsics"): see warpsim/tiny.h.
#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__
#pragma GCC system_header
#include "cuda_fp8.h"
#define __CUDA_FP6_TYPES_EXIST__

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

__warpsim_both unsigned __warpsim_tiny_of(double v, __nv_fp6_interpretation_t kind,
                                          enum cudaRoundMode rounding) {
    return kind == __NV_E2M3 ? __warpsim_e2m3::of(v, true, rounding)
                             : __warpsim_e3m2::of(v, true, rounding);
}
__warpsim_both float __warpsim_tiny_single(unsigned v, __nv_fp6_interpretation_t kind) {
    return kind == __NV_E2M3 ? __warpsim_e2m3::single(v) : __warpsim_e3m2::single(v);
}
__warpsim_conversions(6, __nv_fp6_storage_t, __nv_fp6x2_storage_t, 8,
                      (const __nv_fp6_interpretation_t kind, const enum cudaRoundMode rounding),
                      (kind, rounding))
__warpsim_tiny_types(6, e2m3, __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t)
__warpsim_tiny_types(6, e3m2, __nv_fp6_storage_t, __nv_fp6x2_storage_t, __nv_fp6x4_storage_t)
#endif
