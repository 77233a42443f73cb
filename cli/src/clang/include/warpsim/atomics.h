// Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"): relaxed, of the device;
// `_block` and `_system` are those of the block and of the system. Those of halves are in
// cuda_fp16.h and cuda_bf16.h. As in the guide, sums of vectors and operations on 16 bytes are for
// sm_90 and later, in global memory for the vectors. `long` is there beside `long long`.
#pragma once

// Before sm_70 an atomic instruction has no memory order in its name.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define __warpsim_atom(scope) "atom.relaxed." scope "."
#else
#define __warpsim_atom(scope) "atom." scope "."
#endif

#define __warpsim_scopes(each, ...)                                                                \
    each(__VA_ARGS__, , "gpu") each(__VA_ARGS__, _block, "cta") each(__VA_ARGS__, _system, "sys")
#define __warpsim_one(T, name, operation, type, letter, suffix, scope)                             \
    __warpsim_device T name##suffix(T *p, T v) {                                                   \
        T old;                                                                                     \
        __asm__ volatile(__warpsim_atom(scope) operation "." type " %0, [%1], %2;"                 \
                         : "=" letter(old)                                                         \
                         : "l"(p), letter(v)                                                       \
                         : "memory");                                                              \
        return old;                                                                                \
    }
#define __warpsim_atomic(...) __warpsim_scopes(__warpsim_one, __VA_ARGS__)
__warpsim_atomic(int, atomicAdd, "add", "s32", "r")
__warpsim_atomic(unsigned, atomicAdd, "add", "u32", "r")
__warpsim_atomic(unsigned long, atomicAdd, "add", "u64", "l")
__warpsim_atomic(unsigned long long, atomicAdd, "add", "u64", "l")
__warpsim_atomic(float, atomicAdd, "add", "f32", "f")
__warpsim_atomic(double, atomicAdd, "add", "f64", "d")
__warpsim_atomic(int, atomicMin, "min", "s32", "r")
__warpsim_atomic(unsigned, atomicMin, "min", "u32", "r")
__warpsim_atomic(long, atomicMin, "min", "s64", "l")
__warpsim_atomic(unsigned long, atomicMin, "min", "u64", "l")
__warpsim_atomic(long long, atomicMin, "min", "s64", "l")
__warpsim_atomic(unsigned long long, atomicMin, "min", "u64", "l")
__warpsim_atomic(int, atomicMax, "max", "s32", "r")
__warpsim_atomic(unsigned, atomicMax, "max", "u32", "r")
__warpsim_atomic(long, atomicMax, "max", "s64", "l")
__warpsim_atomic(unsigned long, atomicMax, "max", "u64", "l")
__warpsim_atomic(long long, atomicMax, "max", "s64", "l")
__warpsim_atomic(unsigned long long, atomicMax, "max", "u64", "l")
__warpsim_atomic(unsigned, atomicInc, "inc", "u32", "r")
__warpsim_atomic(unsigned, atomicDec, "dec", "u32", "r")
__warpsim_atomic(int, atomicExch, "exch", "b32", "r")
__warpsim_atomic(unsigned, atomicExch, "exch", "b32", "r")
__warpsim_atomic(unsigned long, atomicExch, "exch", "b64", "l")
__warpsim_atomic(unsigned long long, atomicExch, "exch", "b64", "l")
__warpsim_atomic(float, atomicExch, "exch", "b32", "f")
__warpsim_atomic(double, atomicExch, "exch", "b64", "d")
#define __warpsim_bits(name, operation)                                                            \
    __warpsim_atomic(int, name, operation, "b32", "r")                                             \
    __warpsim_atomic(unsigned, name, operation, "b32", "r")                                        \
    __warpsim_atomic(long, name, operation, "b64", "l")                                            \
    __warpsim_atomic(unsigned long, name, operation, "b64", "l")                                   \
    __warpsim_atomic(long long, name, operation, "b64", "l")                                       \
    __warpsim_atomic(unsigned long long, name, operation, "b64", "l")
__warpsim_bits(atomicAnd, "and")
__warpsim_bits(atomicOr, "or")
__warpsim_bits(atomicXor, "xor")
#undef __warpsim_bits

// What is subtracted is added, negated.
#define __warpsim_sub(T, suffix, scope)                                                            \
    __warpsim_device T atomicSub##suffix(T *p, T v) {                                              \
        return atomicAdd##suffix(p, (T)(0u - (unsigned)v));                                        \
    }
__warpsim_scopes(__warpsim_sub, int)
__warpsim_scopes(__warpsim_sub, unsigned)
#undef __warpsim_sub

#define __warpsim_cas(T, type, letter, suffix, scope)                                              \
    __warpsim_device T atomicCAS##suffix(T *p, T expected, T v) {                                  \
        T old;                                                                                     \
        __asm__ volatile(__warpsim_atom(scope) "cas." type " %0, [%1], %2, %3;"                    \
                         : "=" letter(old)                                                         \
                         : "l"(p), letter(expected), letter(v)                                     \
                         : "memory");                                                              \
        return old;                                                                                \
    }
__warpsim_scopes(__warpsim_cas, int, "b32", "r")
__warpsim_scopes(__warpsim_cas, unsigned, "b32", "r")
__warpsim_scopes(__warpsim_cas, unsigned short, "b16", "h")
__warpsim_scopes(__warpsim_cas, unsigned long, "b64", "l")
__warpsim_scopes(__warpsim_cas, unsigned long long, "b64", "l")
#undef __warpsim_cas

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define __warpsim_sum2(T, suffix, scope)                                                           \
    __warpsim_device float2 atomicAdd##suffix(float2 *p, float2 v) {                               \
        float2 old;                                                                                \
        __asm__ volatile("atom.relaxed." scope ".add.v2.f32 {%0, %1}, [%2], {%3, %4};"             \
                         : "=f"(old.x), "=f"(old.y)                                                \
                         : "l"(p), "f"(v.x), "f"(v.y)                                              \
                         : "memory");                                                              \
        return old;                                                                                \
    }                                                                                              \
    __warpsim_device float4 atomicAdd##suffix(float4 *p, float4 v) {                               \
        float4 old;                                                                                \
        __asm__ volatile("atom.relaxed." scope                                                     \
                         ".add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                   \
                         : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                      \
                         : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)                          \
                         : "memory");                                                              \
        return old;                                                                                \
    }
__warpsim_scopes(__warpsim_sum2, )
#undef __warpsim_sum2

// Any type of 16 bytes that is aligned to them and copied as bytes.
struct __align__(16) __warpsim_bits128 {
    unsigned long long low, high;
};
template <class T> struct __warpsim_is128 {
    static constexpr bool value = sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T);
};
#define __warpsim_wide(T, suffix, scope)                                                           \
    template <class T>                                                                             \
    __warpsim_device                                                                               \
        typename __warpsim_if<__warpsim_is128<T>::value, T>::type atomicExch##suffix(T *p, T v) {  \
        __warpsim_bits128 b = __builtin_bit_cast(__warpsim_bits128, v), old;                       \
        __asm__ volatile("{ .reg .b128 old, v; mov.b128 v, {%3, %4}; atom.relaxed." scope          \
                         ".exch.b128 old, [%2], v; "                                               \
                         "mov.b128 {%0, %1}, old; }"                                               \
                         : "=l"(old.low), "=l"(old.high)                                           \
                         : "l"(p), "l"(b.low), "l"(b.high)                                         \
                         : "memory");                                                              \
        return __builtin_bit_cast(T, old);                                                         \
    }                                                                                              \
    template <class T>                                                                             \
    __warpsim_device typename __warpsim_if<__warpsim_is128<T>::value, T>::type atomicCAS##suffix(  \
        T *p, T expected, T v) {                                                                   \
        __warpsim_bits128 e = __builtin_bit_cast(__warpsim_bits128, expected),                     \
                          b = __builtin_bit_cast(__warpsim_bits128, v), old;                       \
        __asm__ volatile("{ .reg .b128 old, e, v; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6}; "    \
                         "atom.relaxed." scope                                                     \
                         ".cas.b128 old, [%2], e, v; mov.b128 {%0, %1}, old; }"                    \
                         : "=l"(old.low), "=l"(old.high)                                           \
                         : "l"(p), "l"(e.low), "l"(e.high), "l"(b.low), "l"(b.high)                \
                         : "memory");                                                              \
        return __builtin_bit_cast(T, old);                                                         \
    }
__warpsim_scopes(__warpsim_wide, T)
#undef __warpsim_wide
#endif
#undef __warpsim_atomic
#undef __warpsim_one
#undef __warpsim_scopes

#include "atomic_builtins.h"
