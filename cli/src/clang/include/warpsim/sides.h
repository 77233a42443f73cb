// What the headers of number types need on both sides: in CUDA's language by clang, and in plain
// C++ by any compiler.
//
// cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, cuda_fp6.h, cuda_fp4.h and cuComplex.h may be included by
// programs of the host alone. Those have the functions that CUDA offers on the host; what is for
// the device lies in `#ifdef __CUDA__`.
#pragma once
#pragma GCC system_header

#ifdef __CUDA__
#include "../warpsim_cuda.h"
#else
#include "../vector_types.h"
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __warpsim_both
#define __warpsim_both static inline
#endif
#endif

// A member, or an operator.
#define __warpsim_method __host__ __device__ __inline__ __attribute__((always_inline))
// One of two expressions, by the side.
#undef __warpsim_here
#ifdef __CUDA_ARCH__
#define __warpsim_here(device, host) (device)
#else
#define __warpsim_here(device, host) (host)
#endif
#ifdef __cplusplus
// The bits of a value as another type; `__builtin_bit_cast` where the compiler has it, which is
// every one for CUDA.
template <class To, class From> __warpsim_both To __warpsim_cast(From v) {
#if defined(__CUDA__) || (defined(__has_builtin) && __has_builtin(__builtin_bit_cast))
    return __builtin_bit_cast(To, v);
#else
    To to;
    __builtin_memcpy(&to, &v, sizeof to);
    return to;
#endif
}
#endif
