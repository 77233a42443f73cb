// Loads and stores with a cache operator, and address spaces (CUDA C++ Programming Guide,
// "Read-Only Data Cache Load Function", "Load/Store Functions Using Cache Hints", "Address Space
// Predicate Functions", "Address Space Conversion Functions").
#pragma once

// Each of these for every type: numbers by one register, vectors of 2 and 4 by as many in one
// instruction; bytes are in registers of 16 bits.
#define __warpsim_hints(each, ...)                                                                 \
    each##_load(__ldg, "global.nc", __VA_ARGS__) each##_load(__ldca, "global.ca", __VA_ARGS__)     \
        each##_load(__ldcg, "global.cg", __VA_ARGS__)                                              \
            each##_load(__ldcs, "global.cs", __VA_ARGS__)                                          \
                each##_load(__ldlu, "global.lu", __VA_ARGS__)                                      \
                    each##_load(__ldcv, "global.cv", __VA_ARGS__)                                  \
                        each##_store(__stwb, "global.wb", __VA_ARGS__)                             \
                            each##_store(__stcg, "global.cg", __VA_ARGS__)                         \
                                each##_store(__stcs, "global.cs", __VA_ARGS__)                     \
                                    each##_store(__stwt, "global.wt", __VA_ARGS__)
#define __warpsim_one_load(name, how, T, R, type, letter)                                          \
    __warpsim_device T name(const T *p) {                                                          \
        R v;                                                                                       \
        __asm__ volatile("ld." how "." type " %0, [%1];" : "=" letter(v) : "l"(p) : "memory");     \
        return (T)v;                                                                               \
    }
#define __warpsim_one_store(name, how, T, R, type, letter)                                         \
    __warpsim_device void name(T *p, T v) {                                                        \
        __asm__ volatile("st." how "." type " [%0], %1;" : : "l"(p), letter((R)v) : "memory");     \
    }
#define __warpsim_two_load(name, how, T, R, type, letter)                                          \
    __warpsim_device T name(const T *p) {                                                          \
        R x, y;                                                                                    \
        __asm__ volatile("ld." how ".v2." type " {%0, %1}, [%2];"                                  \
                         : "=" letter(x), "=" letter(y)                                            \
                         : "l"(p)                                                                  \
                         : "memory");                                                              \
        T v;                                                                                       \
        v.x = (decltype(v.x))x, v.y = (decltype(v.y))y;                                            \
        return v;                                                                                  \
    }
#define __warpsim_two_store(name, how, T, R, type, letter)                                         \
    __warpsim_device void name(T *p, T v) {                                                        \
        __asm__ volatile("st." how ".v2." type " [%0], {%1, %2};"                                  \
                         :                                                                         \
                         : "l"(p), letter((R)v.x), letter((R)v.y)                                  \
                         : "memory");                                                              \
    }
#define __warpsim_four_load(name, how, T, R, type, letter)                                         \
    __warpsim_device T name(const T *p) {                                                          \
        R x, y, z, w;                                                                              \
        __asm__ volatile("ld." how ".v4." type " {%0, %1, %2, %3}, [%4];"                          \
                         : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)              \
                         : "l"(p)                                                                  \
                         : "memory");                                                              \
        T v;                                                                                       \
        v.x = (decltype(v.x))x, v.y = (decltype(v.y))y, v.z = (decltype(v.z))z,                    \
        v.w = (decltype(v.w))w;                                                                    \
        return v;                                                                                  \
    }
#define __warpsim_four_store(name, how, T, R, type, letter)                                        \
    __warpsim_device void name(T *p, T v) {                                                        \
        __asm__ volatile("st." how ".v4." type " [%0], {%1, %2, %3, %4};"                          \
                         :                                                                         \
                         : "l"(p), letter((R)v.x), letter((R)v.y), letter((R)v.z), letter((R)v.w)  \
                         : "memory");                                                              \
    }
#define __warpsim_numbers(T, R, type, letter) __warpsim_hints(__warpsim_one, T, R, type, letter)
#define __warpsim_pairs(T, R, type, letter) __warpsim_hints(__warpsim_two, T##2, R, type, letter)
#define __warpsim_fours(T, R, type, letter) __warpsim_hints(__warpsim_four, T##4, R, type, letter)
__warpsim_numbers(char, short, "s8", "h")
__warpsim_numbers(signed char, short, "s8", "h")
__warpsim_numbers(unsigned char, unsigned short, "u8", "h")
__warpsim_numbers(short, short, "s16", "h")
__warpsim_numbers(unsigned short, unsigned short, "u16", "h")
__warpsim_numbers(int, int, "s32", "r")
__warpsim_numbers(unsigned, unsigned, "u32", "r")
__warpsim_numbers(long, long, "s64", "l")
__warpsim_numbers(unsigned long, unsigned long, "u64", "l")
__warpsim_numbers(long long, long long, "s64", "l")
__warpsim_numbers(unsigned long long, unsigned long long, "u64", "l")
__warpsim_numbers(float, float, "f32", "f")
__warpsim_numbers(double, double, "f64", "d")
__warpsim_pairs(char, short, "s8", "h")
__warpsim_pairs(uchar, unsigned short, "u8", "h")
__warpsim_pairs(short, short, "s16", "h")
__warpsim_pairs(ushort, unsigned short, "u16", "h")
__warpsim_pairs(int, int, "s32", "r")
__warpsim_pairs(uint, unsigned, "u32", "r")
__warpsim_pairs(longlong, long long, "s64", "l")
__warpsim_pairs(ulonglong, unsigned long long, "u64", "l")
__warpsim_pairs(float, float, "f32", "f")
__warpsim_pairs(double, double, "f64", "d")
__warpsim_fours(char, short, "s8", "h")
__warpsim_fours(uchar, unsigned short, "u8", "h")
__warpsim_fours(short, short, "s16", "h")
__warpsim_fours(ushort, unsigned short, "u16", "h")
__warpsim_fours(int, int, "s32", "r")
__warpsim_fours(uint, unsigned, "u32", "r")
__warpsim_fours(float, float, "f32", "f")
#undef __warpsim_hints
#undef __warpsim_numbers
#undef __warpsim_pairs
#undef __warpsim_fours
#undef __warpsim_one_load
#undef __warpsim_one_store
#undef __warpsim_two_load
#undef __warpsim_two_store
#undef __warpsim_four_load
#undef __warpsim_four_store

// Which space an address is in.
#define __warpsim_space(name, space, word)                                                         \
    __warpsim_device unsigned __is##name(const void *p) {                                          \
        unsigned is;                                                                               \
        __asm__("{ .reg .pred is; isspacep." #space " is, %1; selp.u32 %0, 1, 0, is; }"            \
                : "=r"(is)                                                                         \
                : "l"(p));                                                                         \
        return is;                                                                                 \
    }                                                                                              \
    __warpsim_device size_t __cvta_generic_to_##word(const void *p) {                              \
        size_t address;                                                                            \
        __asm__("cvta.to." #space ".u64 %0, %1;" : "=l"(address) : "l"(p));                        \
        return address;                                                                            \
    }                                                                                              \
    __warpsim_device void *__cvta_##word##_to_generic(size_t address) {                            \
        void *p;                                                                                   \
        __asm__("cvta." #space ".u64 %0, %1;" : "=l"(p) : "l"(address));                           \
        return p;                                                                                  \
    }
__warpsim_space(Global, global, global)
__warpsim_space(Shared, shared, shared)
__warpsim_space(Local, local, local)
__warpsim_space(Constant, const, constant)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__warpsim_space(GridConstant, param, grid_constant)
#endif
#undef __warpsim_space
