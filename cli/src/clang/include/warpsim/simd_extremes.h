// The extremes of two and three integers, of sums, with a floor at 0 (`relu`) and with predicates,
// for one 32-bit number and for two 16-bit numbers in a word (CUDA math API, "SIMD Intrinsics" and
// "Integer Intrinsics": `__vimax3_s32`, `__viaddmin_u16x2`,
// `__vibmax_s16x2`, ...). Host and device. A sum wraps at the width of its number.
#pragma once
#pragma GCC system_header
#include "integers.h"

template <class T> __warpsim_both T __warpsim_least(T a, T b) { return b < a ? b : a; }
template <class T> __warpsim_both T __warpsim_most(T a, T b) { return a < b ? b : a; }
// A function of numbers, for each half of words.
template <class T, class F>
__warpsim_both unsigned __warpsim_halves(unsigned a, unsigned b, unsigned c, F f) {
    unsigned low = (unsigned short)f((T)a, (T)b, (T)c),
             high = (unsigned short)f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16));
    return high << 16 | low;
}
#define __warpsim_three(name, expression)                                                          \
    template <class T> struct __warpsim_##name {                                                   \
        __host__ __device__ __inline__ __attribute__((always_inline)) T operator()(T a, T b,       \
                                                                                   T c) const {    \
            return (T)(expression);                                                                \
        }                                                                                          \
    };                                                                                             \
    __warpsim_both int __##name##_s32(const int a, const int b, const int c) {                     \
        return __warpsim_##name<int>()(a, b, c);                                                   \
    }                                                                                              \
    __warpsim_both unsigned __##name##_s16x2(const unsigned a, const unsigned b,                   \
                                             const unsigned c) {                                   \
        return __warpsim_halves<short>(a, b, c, __warpsim_##name<short>());                        \
    }                                                                                              \
    __warpsim_both int __##name##_s32_relu(const int a, const int b, const int c) {                \
        return __warpsim_most(__##name##_s32(a, b, c), 0);                                         \
    }                                                                                              \
    __warpsim_both unsigned __##name##_s16x2_relu(const unsigned a, const unsigned b,              \
                                                  const unsigned c) {                              \
        return __vimax_s16x2_relu(__##name##_s16x2(a, b, c), 0);                                   \
    }                                                                                              \
    __warpsim_both unsigned __##name##_u32(const unsigned a, const unsigned b, const unsigned c) { \
        return __warpsim_##name<unsigned>()(a, b, c);                                              \
    }                                                                                              \
    __warpsim_both unsigned __##name##_u16x2(const unsigned a, const unsigned b,                   \
                                             const unsigned c) {                                   \
        return __warpsim_halves<unsigned short>(a, b, c, __warpsim_##name<unsigned short>());      \
    }
// (Sums are unsigned, so that they wrap.)
#define __warpsim_two(name, of)                                                                    \
    __warpsim_both int __##name##_s32_relu(const int a, const int b) {                             \
        return __warpsim_most(of(a, b), 0);                                                        \
    }                                                                                              \
    struct __warpsim_##name {                                                                      \
        __host__ __device__ __inline__ __attribute__((always_inline)) short                        \
        operator()(short a, short b, short) const {                                                \
            return __warpsim_most<short>(of(a, b), 0);                                             \
        }                                                                                          \
    };                                                                                             \
    __warpsim_both unsigned __##name##_s16x2_relu(const unsigned a, const unsigned b) {            \
        return __warpsim_halves<short>(a, b, 0, __warpsim_##name());                               \
    }
__warpsim_two(vimax, __warpsim_most)
__warpsim_two(vimin, __warpsim_least)
#undef __warpsim_two
__warpsim_three(vimax3, __warpsim_most(__warpsim_most(a, b), c))
__warpsim_three(vimin3, __warpsim_least(__warpsim_least(a, b), c))
__warpsim_three(viaddmax, __warpsim_most((T)((unsigned)a + (unsigned)b), c))
__warpsim_three(viaddmin, __warpsim_least((T)((unsigned)a + (unsigned)b), c))
#undef __warpsim_three

// The predicate says that the first number was taken, as it is when both are equal.
#define __warpsim_with_predicate(name, sign, T, type)                                              \
    __warpsim_both T __##name##_##type##32(const T a, const T b, bool *const is_first) {           \
        *is_first = a sign b;                                                                      \
        return *is_first ? a : b;                                                                  \
    }
#define __warpsim_with_predicates(name, sign, T, type)                                             \
    __warpsim_both unsigned __##name##_##type##16x2(                                               \
        const unsigned a, const unsigned b, bool *const is_first_high, bool *const is_first_low) { \
        *is_first_high = (T)(a >> 16) sign(T)(b >> 16);                                            \
        *is_first_low = (T)a sign(T) b;                                                            \
        return (*is_first_high ? a : b) >> 16 << 16 | (unsigned short)(*is_first_low ? a : b);     \
    }
__warpsim_with_predicate(vibmax, >=, int, s)
__warpsim_with_predicate(vibmax, >=, unsigned, u)
__warpsim_with_predicate(vibmin, <=, int, s)
__warpsim_with_predicate(vibmin, <=, unsigned, u)
__warpsim_with_predicates(vibmax, >=, short, s)
__warpsim_with_predicates(vibmax, >=, unsigned short, u)
__warpsim_with_predicates(vibmin, <=, short, s)
__warpsim_with_predicates(vibmin, <=, unsigned short, u)
#undef __warpsim_with_predicate
#undef __warpsim_with_predicates

// The bytes in the other order.
__warpsim_both unsigned short __nv_bswap16(unsigned short v) { return __builtin_bswap16(v); }
__warpsim_both unsigned __nv_bswap32(unsigned v) { return __builtin_bswap32(v); }
__warpsim_both unsigned long long __nv_bswap64(unsigned long long v) {
    return __builtin_bswap64(v);
}
