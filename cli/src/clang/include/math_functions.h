// The math library, which the first header has where CUDA is compiled.
#if !defined(__MATH_FUNCTIONS_H__)
#define __MATH_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
