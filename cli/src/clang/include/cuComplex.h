// Complex numbers of CUDA's <cuComplex.h>: `cuFloatComplex` and `cuDoubleComplex`, which are float2
// and double2.
//
// Document: none of its own; the names are those that cuBLAS, cuFFT and programs use. For host and
// device, and for plain C++. Quotients and absolute values are scaled, so that what is between does
// not overflow.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_
#pragma GCC system_header
#include "warpsim/sides.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// `f` is nothing in the names of double, and `f` in those of float.
#define __warpsim_complex(f, Complex, Real, fabs, sqrt)                                            \
    __warpsim_both Real cuCreal##f(Complex v) { return v.x; }                                      \
    __warpsim_both Real cuCimag##f(Complex v) { return v.y; }                                      \
    __warpsim_both Complex make_cu##Complex##_(Real re, Real im) {                                 \
        Complex v;                                                                                 \
        v.x = re;                                                                                  \
        v.y = im;                                                                                  \
        return v;                                                                                  \
    }                                                                                              \
    __warpsim_both Complex cuConj##f(Complex v) { return make_cu##Complex##_(v.x, -v.y); }         \
    __warpsim_both Complex cuCadd##f(Complex a, Complex b) {                                       \
        return make_cu##Complex##_(a.x + b.x, a.y + b.y);                                          \
    }                                                                                              \
    __warpsim_both Complex cuCsub##f(Complex a, Complex b) {                                       \
        return make_cu##Complex##_(a.x - b.x, a.y - b.y);                                          \
    }                                                                                              \
    __warpsim_both Complex cuCmul##f(Complex a, Complex b) {                                       \
        return make_cu##Complex##_(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                  \
    }                                                                                              \
    __warpsim_both Complex cuCdiv##f(Complex a, Complex b) {                                       \
        Real scale = 1 / (fabs(b.x) + fabs(b.y));                                                  \
        Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale,               \
             all = 1 / (bx * bx + by * by);                                                        \
        return make_cu##Complex##_((ax * bx + ay * by) * all, (ay * bx - ax * by) * all);          \
    }                                                                                              \
    __warpsim_both Real cuCabs##f(Complex v) {                                                     \
        Real x = fabs(v.x), y = fabs(v.y), large = x > y ? x : y, small = x > y ? y : x;           \
        if (large == 0 || large - large != 0 || small != small) return x + y;                      \
        Real ratio = small / large;                                                                \
        return large * sqrt(1 + ratio * ratio);                                                    \
    }                                                                                              \
    __warpsim_both Complex cuCfma##f(Complex a, Complex b, Complex c) {                            \
        return make_cu##Complex##_(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);      \
    }
#define make_cucuFloatComplex_ make_cuFloatComplex
#define make_cucuDoubleComplex_ make_cuDoubleComplex
__warpsim_complex(f, cuFloatComplex, float, __builtin_fabsf, sqrtf)
__warpsim_complex(, cuDoubleComplex, double, __builtin_fabs, sqrt)
#undef make_cucuFloatComplex_
#undef make_cucuDoubleComplex_
#undef __warpsim_complex
__warpsim_both cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
__warpsim_both cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex v) {
    return make_cuDoubleComplex(v.x, v.y);
}
__warpsim_both cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex v) {
    return make_cuFloatComplex((float)v.x, (float)v.y);
}
#endif
