// Numbers of 8 bits: `__nv_fp8_e4m3`, `__nv_fp8_e5m2`, scales `__nv_fp8_e8m0`, pairs and fours of
// them, and conversions (CUDA math API, "FP8 Intrinsics"): see warpsim/tiny.h.
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__
#pragma GCC system_header
#include "warpsim/tiny.h"
#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

__warpsim_both unsigned __warpsim_tiny_of(double v, __nv_saturation_t saturate,
                                          __nv_fp8_interpretation_t kind) {
    bool is_finite = saturate == __NV_SATFINITE;
    return kind == __NV_E4M3 ? __warpsim_e4m3::of(v, is_finite, __warpsim_nearest)
                             : __warpsim_e5m2::of(v, is_finite, __warpsim_nearest);
}
__warpsim_both float __warpsim_tiny_single(unsigned v, __nv_fp8_interpretation_t kind) {
    return kind == __NV_E4M3 ? __warpsim_e4m3::single(v) : __warpsim_e5m2::single(v);
}
__warpsim_conversions(8, __nv_fp8_storage_t, __nv_fp8x2_storage_t, 8,
                      (const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind),
                      (saturate, kind))
__warpsim_tiny_types(8, e4m3, __nv_fp8_storage_t, __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)
__warpsim_tiny_types(8, e5m2, __nv_fp8_storage_t, __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)
__warpsim_tiny_types(8, e8m0, __nv_fp8_storage_t, __nv_fp8x2_storage_t, __nv_fp8x4_storage_t)

// Scales.
__warpsim_both __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(const __nv_bfloat16_raw v,
                                                               const __nv_saturation_t saturate,
                                                               const enum cudaRoundMode rounding) {
    return (__nv_fp8_storage_t)__warpsim_e8m0::of(__warpsim_raw(v.x, v), saturate == __NV_SATFINITE,
                                                  rounding);
}
__warpsim_both __nv_fp8x2_storage_t
__nv_cvt_bfloat162raw_to_e8m0x2(const __nv_bfloat162_raw v, const __nv_saturation_t saturate,
                                const enum cudaRoundMode rounding) {
    bool is_finite = saturate == __NV_SATFINITE;
    return (__nv_fp8x2_storage_t)(__warpsim_e8m0::of(__warpsim_raw(v.x, v), is_finite, rounding) |
                                  __warpsim_e8m0::of(__warpsim_raw(v.y, v), is_finite, rounding)
                                      << 8);
}
#define __warpsim_scale(T, T2)                                                                     \
    __warpsim_both __nv_fp8_storage_t __nv_cvt_##T##_to_e8m0(                                      \
        const T v, const __nv_saturation_t saturate, const enum cudaRoundMode rounding) {          \
        return (__nv_fp8_storage_t)__warpsim_e8m0::of(v, saturate == __NV_SATFINITE, rounding);    \
    }                                                                                              \
    __warpsim_both __nv_fp8x2_storage_t __nv_cvt_##T2##_to_e8m0x2(                                 \
        const T2 v, const __nv_saturation_t saturate, const enum cudaRoundMode rounding) {         \
        return (__nv_fp8x2_storage_t)(__nv_cvt_##T##_to_e8m0(v.x, saturate, rounding) |            \
                                      __nv_cvt_##T##_to_e8m0(v.y, saturate, rounding) << 8);       \
    }
__warpsim_scale(float, float2)
__warpsim_scale(double, double2)
#undef __warpsim_scale
__warpsim_both __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t v) {
    return __float2bfloat16_rn(__warpsim_e8m0::single(v));
}
__warpsim_both __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t v) {
    return __floats2bfloat162_rn(__warpsim_e8m0::single(v & 255), __warpsim_e8m0::single(v >> 8));
}
#endif
