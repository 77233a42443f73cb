// The language for the compiler (CUDA C++ Programming Guide, "C++ Language Extensions"; NVCC documentation, "NVCC Identification
// Macro"): what nvcc defines, qualifiers, vectors, built-in variables.
//
// Managed variables (`__managed__`) and clusters are missing. `__NVCC__` is not defined: it says that the compiler is nvcc, and
// libraries answer with its pragmas and built-in functions, which clang lacks. Nothing of the C++ library may be included
// here: what is declared for the device has to be there first.
#pragma once

#if defined(__CUDA__) && defined(__clang__)
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDACC_VER_BUILD__ 86
// Libraries that know clang ask for this before they include <cuda.h>.
#define CUDA_VERSION 12090
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 9
// The architectures that a file is compiled for: one.
#if !defined(__CUDA_ARCH_LIST__)
#if defined(__CUDA_ARCH__)
#define __CUDA_ARCH_LIST__ __CUDA_ARCH__
#else
#define __CUDA_ARCH_LIST__ 800
#endif
#endif
#endif

#include "../crt/host_defines.h"
// They have no lines of their own, so that what is found in them is told at the line of the program that calls them.
#define __warpsim_device static __inline__ __device__ __attribute__((always_inline, nodebug))

#if __cplusplus >= 201103L
// nvcc takes `__shared__ alignas(16) float x[4];`, where C++ wants `alignas` to come first and clang does so,
// too. As an attribute of GNU's it may stand in both places. What is in parentheses is a type or a number, and so
// are the arguments of these templates.
constexpr __SIZE_TYPE__ __warpsim_largest(__SIZE_TYPE__ one) { return one; }
template <class... More>
constexpr __SIZE_TYPE__ __warpsim_largest(__SIZE_TYPE__ one, __SIZE_TYPE__ next, More... more) {
    // C++11 has no loop here.
    return __warpsim_largest(one > next ? one : next, more...);
}
template <class... T> constexpr __SIZE_TYPE__ __warpsim_aligned() {
    return __warpsim_largest(1, alignof(T)...);
}
template <__SIZE_TYPE__ N, __SIZE_TYPE__... More> constexpr __SIZE_TYPE__ __warpsim_aligned() {
    return __warpsim_largest(1, N, More...);
}
#define alignas(...) __attribute__((aligned(__warpsim_aligned<__VA_ARGS__>())))
#endif

// An object in shared memory, of which no constructor makes anything: the copies of sources that the compiler mends have
// it where clang would refuse the object.
template <class T> struct __warpsim_uninitialized {
    __attribute__((aligned(alignof(T)))) unsigned char bytes[sizeof(T)];
    __host__ __device__ __attribute__((always_inline, nodebug)) T &object() {
        return *reinterpret_cast<T *>(bytes);
    }
};

// A lambda is one of both sides here: none is of a kind that nvcc alone tells apart.
#if defined(__CUDACC_EXTENDED_LAMBDA__)
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_host_device_lambda_closure_type(T) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) false
#endif

#include "../vector_types.h"
#include "../vector_functions.h"
#include "../device_launch_parameters.h"
