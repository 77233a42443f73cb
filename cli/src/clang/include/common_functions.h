// What host and device share, which the first header has.
#if !defined(__COMMON_FUNCTIONS_H__)
#define __COMMON_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif
