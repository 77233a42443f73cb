// Routines of cuBLAS for one size of integers, `__warpsim_blas_int`, whose names end in
// `__warpsim_blas_end`: those of each type of elements, and those whose types are arguments.
// Included by cublas_api.h, once for each size. A program may have macros of these names, which
// are letters of routines here.
#pragma push_macro("S")
#undef S
#pragma push_macro("D")
#undef D
#pragma push_macro("Z")
#undef Z
#define __warpsim_blas_paste(letter, rest, end) cublas##letter##rest##end
#define __warpsim_blas_name(letter, rest, end) __warpsim_blas_paste(letter, rest, end)
#define __warpsim_blas_any(rest) cublasStatus_t __warpsim_blas_name(, rest, __warpsim_blas_end)

#define __warpsim_blas_letter S
#define __warpsim_blas_scalar float
#define __warpsim_blas_real float
#define __warpsim_blas_norm S
#define __warpsim_blas_index Is
#include "cublas_routines.h"
#include "cublas_routines_real.h"
#undef __warpsim_blas_letter
#undef __warpsim_blas_scalar
#undef __warpsim_blas_real
#undef __warpsim_blas_norm
#undef __warpsim_blas_index

#define __warpsim_blas_letter D
#define __warpsim_blas_scalar double
#define __warpsim_blas_real double
#define __warpsim_blas_norm D
#define __warpsim_blas_index Id
#include "cublas_routines.h"
#include "cublas_routines_real.h"
#undef __warpsim_blas_letter
#undef __warpsim_blas_scalar
#undef __warpsim_blas_real
#undef __warpsim_blas_norm
#undef __warpsim_blas_index

#define __warpsim_blas_letter C
#define __warpsim_blas_scalar cuComplex
#define __warpsim_blas_real float
#define __warpsim_blas_norm Sc
#define __warpsim_blas_index Ic
#define __warpsim_blas_mixed Cs
#include "cublas_routines.h"
#include "cublas_routines_complex.h"
#undef __warpsim_blas_letter
#undef __warpsim_blas_scalar
#undef __warpsim_blas_real
#undef __warpsim_blas_norm
#undef __warpsim_blas_index
#undef __warpsim_blas_mixed

#define __warpsim_blas_letter Z
#define __warpsim_blas_scalar cuDoubleComplex
#define __warpsim_blas_real double
#define __warpsim_blas_norm Dz
#define __warpsim_blas_index Iz
#define __warpsim_blas_mixed Zd
#include "cublas_routines.h"
#include "cublas_routines_complex.h"
#undef __warpsim_blas_letter
#undef __warpsim_blas_scalar
#undef __warpsim_blas_real
#undef __warpsim_blas_norm
#undef __warpsim_blas_index
#undef __warpsim_blas_mixed

#include "cublas_extended.h"
#undef __warpsim_blas_any
#undef __warpsim_blas_name
#undef __warpsim_blas_paste
#pragma pop_macro("S")
#pragma pop_macro("D")
#pragma pop_macro("Z")
