// Atomic functions (CUDA C++ Programming Guide, "Atomic Functions"): relaxed, of the device; `_block` and `_system` are
// those of the block and of the system. Halves and vectors are missing.
#pragma once

#define __warpsim_scopes(each, ...)                                                                \
    each(__VA_ARGS__, , "gpu")                                                                     \
    each(__VA_ARGS__, _block, "cta")                                                               \
    each(__VA_ARGS__, _system, "sys")
#define __warpsim_one(T, name, operation, type, letter, suffix, scope)                             \
    __warpsim_device T name##suffix(T *p, T v) {                                                   \
        T old;                                                                                     \
        __asm__ volatile("atom.relaxed." scope "." operation "." type " %0, [%1], %2;"             \
                         : "=" letter(old) : "l"(p), letter(v) : "memory");                        \
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
__warpsim_atomic(long long, atomicMin, "min", "s64", "l")
__warpsim_atomic(unsigned long long, atomicMin, "min", "u64", "l")
__warpsim_atomic(int, atomicMax, "max", "s32", "r")
__warpsim_atomic(unsigned, atomicMax, "max", "u32", "r")
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
    __warpsim_atomic(unsigned long, name, operation, "b64", "l")                                   \
    __warpsim_atomic(unsigned long long, name, operation, "b64", "l")
__warpsim_bits(atomicAnd, "and")
__warpsim_bits(atomicOr, "or")
__warpsim_bits(atomicXor, "xor")
#undef __warpsim_bits

// What is subtracted is added, negated.
#define __warpsim_sub(T, suffix, scope)                                                            \
    __warpsim_device T atomicSub##suffix(T *p, T v) { return atomicAdd##suffix(p, (T)(0u - (unsigned)v)); }
__warpsim_scopes(__warpsim_sub, int)
__warpsim_scopes(__warpsim_sub, unsigned)
#undef __warpsim_sub

#define __warpsim_cas(T, type, letter, suffix, scope)                                              \
    __warpsim_device T atomicCAS##suffix(T *p, T expected, T v) {                                  \
        T old;                                                                                     \
        __asm__ volatile("atom.relaxed." scope ".cas." type " %0, [%1], %2, %3;"                   \
                         : "=" letter(old) : "l"(p), letter(expected), letter(v) : "memory");      \
        return old;                                                                                \
    }
__warpsim_scopes(__warpsim_cas, int, "b32", "r")
__warpsim_scopes(__warpsim_cas, unsigned, "b32", "r")
__warpsim_scopes(__warpsim_cas, unsigned short, "b16", "h")
__warpsim_scopes(__warpsim_cas, unsigned long, "b64", "l")
__warpsim_scopes(__warpsim_cas, unsigned long long, "b64", "l")
#undef __warpsim_cas
#undef __warpsim_atomic
#undef __warpsim_one
#undef __warpsim_scopes
