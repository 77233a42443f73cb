// The built-in variables (CUDA C++ Programming Guide, "Built-in Variables"), which the compiler has
// where CUDA is compiled. A host compiler sees their declarations, as with NVIDIA's header; nothing
// defines them there.
#if !defined(__DEVICE_LAUNCH_PARAMETERS_H__)
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "vector_types.h"
#if defined(__CUDA__) && defined(__clang__)
#include <__clang_cuda_builtin_vars.h>
#else
#if defined(__cplusplus)
extern "C" {
#endif
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;
#if defined(__cplusplus)
}
#endif
#endif
#endif
