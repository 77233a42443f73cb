// `__half` and `__half2` (CUDA math API, "Half Precision Intrinsics"), on the host in plain C++,
// too.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#pragma GCC system_header
#include "warpsim/narrow.h"
#define __CUDA_FP16_TYPES_EXIST__

#define __warpsim_T half
#define __warpsim_One __half
#define __warpsim_Two __half2
#define __warpsim_Other __nv_bfloat16
#define __warpsim_One_raw __half_raw
#define __warpsim_Two_raw __half2_raw
#define __warpsim_F __warpsim_binary16
#define __warpsim_atomics_from 700
#define __warpsim_tanh_from 750
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define __warpsim_no_conversions
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define __warpsim_no_operators
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define __warpsim_no_operators2
#endif
#include "warpsim/narrow_types.h"
#define __warpsim_twice_name __half2half2
#include "warpsim/narrow_functions.h"
#include "warpsim/narrow_end.h"

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)1)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
#endif
#endif
