// Products and quotients of complex numbers in device code: what the compiler calls for `_Complex` and `std::complex`.
//
// clang's own header has them (__mulsc3, __divdc3, ...); it needs `max` and the classification functions under std.
#pragma once
#pragma GCC system_header
#include "integers.h"

#ifndef __device__
#define __device__ __attribute__((device))
#endif
#include <__clang_cuda_complex_builtins.h>
