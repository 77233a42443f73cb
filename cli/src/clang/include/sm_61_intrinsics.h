// Intrinsic functions, which the first header has where CUDA is compiled.
#if !defined(__SM_61_INTRINSICS_H__)
#define __SM_61_INTRINSICS_H__
#include "cuda_runtime.h"
#endif
