// `__nv_bfloat16` and `__nv_bfloat162` (CUDA math API, "Bfloat16 Precision Intrinsics"), on the
// host in plain C++, too.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#pragma GCC system_header
#include "cuda_fp16.h"
#define __CUDA_BF16_TYPES_EXIST__

#define __warpsim_T bfloat16
#define __warpsim_One __nv_bfloat16
#define __warpsim_Two __nv_bfloat162
#define __warpsim_Other __half
#define __warpsim_One_raw __nv_bfloat16_raw
#define __warpsim_Two_raw __nv_bfloat162_raw
#define __warpsim_F __warpsim_upper16
#define __warpsim_atomics_from 900
#define __warpsim_tanh_from 900
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define __warpsim_no_conversions
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define __warpsim_no_operators
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define __warpsim_no_operators2
#endif
#include "warpsim/narrow_types.h"
#define __warpsim_twice_name __bfloat162bfloat162
#include "warpsim/narrow_functions.h"
#include "warpsim/narrow_end.h"

#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
__warpsim_method __nv_bfloat16::__nv_bfloat16(__half v)
    : __x(__float2bfloat16_rn(__half2float(v)).__x) {}
#endif
#ifndef __CUDA_NO_HALF_CONVERSIONS__
__warpsim_method __half::__half(__nv_bfloat16 v) : __x(__float2half_rn(__bfloat162float(v)).__x) {}
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)1)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)

#ifndef CUDA_NO_BFLOAT16
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
#endif
