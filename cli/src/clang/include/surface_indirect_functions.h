// Functions of surface objects, which the first header has where CUDA is compiled.
#if !defined(__SURFACE_INDIRECT_FUNCTIONS_H__)
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
