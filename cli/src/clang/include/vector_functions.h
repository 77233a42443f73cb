// Vectors of their elements (CUDA C++ Programming Guide, "Built-in Vector Types").
#if !defined(__VECTOR_FUNCTIONS_H__)
#define __VECTOR_FUNCTIONS_H__
#include "vector_types.h"
#define __VECTOR_FUNCTIONS_DECL__ __warpsim_both
#include "vector_functions.hpp"
#undef __VECTOR_FUNCTIONS_DECL__
#endif
