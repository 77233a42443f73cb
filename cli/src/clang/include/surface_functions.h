// Functions of surface references, which the first header has where CUDA is compiled.
#if !defined(__SURFACE_FUNCTIONS_H__)
#define __SURFACE_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
