// What device code has of the C library: `printf`, `malloc`, `memcpy`, `assert`, `new` (CUDA C++ Programming Guide,
// "Formatted Output", "Dynamic Global Memory Allocation and Operations", "Assertion").
#pragma once
// What programs have from cuda_runtime.h without asking for it.
#include <stddef.h>
#include <stdint.h>
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <utility>

extern "C" {
__device__ int printf(const char *, ...);
__device__ int vprintf(const char *, const char *);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned, const char *, size_t);
static __inline__ __device__ __attribute__((noreturn)) void
__assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    __assertfail(what, file, line, function, 1);
}
}
__warpsim_device void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__warpsim_device void *memset(void *to, int byte, size_t bytes) { return __builtin_memset(to, byte, bytes); }
__warpsim_device void *memmove(void *to, const void *from, size_t bytes) { return __builtin_memmove(to, from, bytes); }

// `new` and `delete` are clang's.
#include <new>

// A class with a virtual function that nothing defines calls this.
extern "C" __device__ __inline__ void __cxa_pure_virtual() { __builtin_trap(); }
