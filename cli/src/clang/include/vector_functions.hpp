// The bodies of <vector_functions.h>: an aggregate of the arguments, in C as in C++.
#if !defined(__VECTOR_FUNCTIONS_HPP__)
#define __VECTOR_FUNCTIONS_HPP__
#include "vector_types.h"

#define __warpsim_make1(T, name)                                                                   \
    __warpsim_both struct name make_##name(T x) { struct name v = {x}; return v; }
#define __warpsim_make2(T, name)                                                                   \
    __warpsim_both struct name make_##name(T x, T y) { struct name v = {x, y}; return v; }
#define __warpsim_make3(T, name)                                                                   \
    __warpsim_both struct name make_##name(T x, T y, T z) { struct name v = {x, y, z}; return v; }
#define __warpsim_make4(T, name)                                                                   \
    __warpsim_both struct name make_##name(T x, T y, T z, T w) { struct name v = {x, y, z, w}; return v; }
#define __warpsim_make(T, name)                                                                    \
    __warpsim_make1(T, name##1)                                                                    \
    __warpsim_make2(T, name##2)                                                                    \
    __warpsim_make3(T, name##3)                                                                    \
    __warpsim_make4(T, name##4)
__warpsim_make(signed char, char)
__warpsim_make(unsigned char, uchar)
__warpsim_make(short, short)
__warpsim_make(unsigned short, ushort)
__warpsim_make(int, int)
__warpsim_make(unsigned, uint)
__warpsim_make(long, long)
__warpsim_make(unsigned long, ulong)
__warpsim_make(long long, longlong)
__warpsim_make(unsigned long long, ulonglong)
__warpsim_make(float, float)
__warpsim_make(double, double)
__warpsim_make4(long, long4_16a)
__warpsim_make4(long, long4_32a)
__warpsim_make4(unsigned long, ulong4_16a)
__warpsim_make4(unsigned long, ulong4_32a)
__warpsim_make4(long long, longlong4_16a)
__warpsim_make4(long long, longlong4_32a)
__warpsim_make4(unsigned long long, ulonglong4_16a)
__warpsim_make4(unsigned long long, ulonglong4_32a)
__warpsim_make4(double, double4_16a)
__warpsim_make4(double, double4_32a)
#undef __warpsim_make
#undef __warpsim_make1
#undef __warpsim_make2
#undef __warpsim_make3
#undef __warpsim_make4

#endif
