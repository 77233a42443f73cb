// Functions of texture references, which the first header has where CUDA is compiled.
#if !defined(__TEXTURE_FETCH_FUNCTIONS_H__)
#define __TEXTURE_FETCH_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
