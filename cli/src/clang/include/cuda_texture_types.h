// The class `texture`, which the first header has.
#if !defined(__CUDA_TEXTURE_TYPES_H__)
#define __CUDA_TEXTURE_TYPES_H__
#include "cuda_runtime.h"
#endif
