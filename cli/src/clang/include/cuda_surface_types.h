// The class `surface`, which the first header has.
#if !defined(__CUDA_SURFACE_TYPES_H__)
#define __CUDA_SURFACE_TYPES_H__
#include "cuda_runtime.h"
#endif
