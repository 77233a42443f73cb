// Atomic functions, which the first header has where CUDA is compiled.
#if !defined(__DEVICE_ATOMIC_FUNCTIONS_H__)
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
