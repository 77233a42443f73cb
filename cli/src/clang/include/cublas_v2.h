// cuBLAS (cuBLAS documentation, version 12.9): the API with handles. Names without `_v2` stand for
// those with it.
#if !defined(CUBLAS_V2_H_)
#define CUBLAS_V2_H_
#if defined(CUBLAS_H_)
#error "cublas.h and cublas_v2.h exclude each other"
#endif
#pragma GCC system_header
#include "cublas_api.h"
#include "warpsim/cublas_names.h"
#endif
