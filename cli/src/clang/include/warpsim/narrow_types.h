// A number of 16 bits and a pair of them as types, with their operators: included once for
// `__half`, once for `__nv_bfloat16`.
//
// Document: the CUDA math API, "Half Precision Intrinsics" and "Bfloat16 Precision Intrinsics",
// data types and operators. Before it `__warpsim_T`, `__warpsim_One`, `__warpsim_Two`, the names of
// their bits alone (`__warpsim_One_raw`, `__warpsim_Two_raw`), `__warpsim_Other` (the other type of
// 16 bits) and `__warpsim_F` (the format of narrow.h) are defined; and `__warpsim_no_conversions`,
// `__warpsim_no_operators`, `__warpsim_no_operators2` where a program asks for these types without.

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __warpsim_One_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __warpsim_Two_raw;

struct __warpsim_Other;
struct __warpsim_Two;
struct __attribute__((aligned(2))) __warpsim_One {
    typedef __warpsim_F __warpsim_format_of;
    unsigned short __x;
    __warpsim_One() = default;
    __host__ __device__ constexpr __warpsim_One(const __warpsim_One_raw &bits) : __x(bits.x) {}
    __warpsim_method __warpsim_One &operator=(const __warpsim_One_raw &bits) {
        __x = bits.x;
        return *this;
    }
    __warpsim_method volatile __warpsim_One &operator=(const __warpsim_One_raw &bits) volatile {
        __x = bits.x;
        return *this;
    }
    __warpsim_method volatile __warpsim_One &
    operator=(const volatile __warpsim_One_raw &bits) volatile {
        __x = bits.x;
        return *this;
    }
    __warpsim_method operator __warpsim_One_raw() const {
        __warpsim_One_raw bits = {__x};
        return bits;
    }
    __warpsim_method operator __warpsim_One_raw() const volatile {
        __warpsim_One_raw bits = {__x};
        return bits;
    }
    static __warpsim_method __warpsim_One __warpsim_of(unsigned bits) {
        __warpsim_One v;
        v.__x = (unsigned short)bits;
        return v;
    }
    __warpsim_method float __warpsim_single() const {
        return __warpsim_here(__warpsim_F::to_float(__x), __warpsim_F::widen(__x));
    }
#ifndef __warpsim_no_conversions
    explicit __warpsim_method __warpsim_One(__warpsim_Other v);
#define __warpsim_from(T, Wide, host)                                                              \
    __warpsim_method __warpsim_One(T v)                                                            \
        : __x(__warpsim_here(__warpsim_F::nearest((Wide)v), host((Wide)v, __warpsim_nearest))) {}  \
    __warpsim_method __warpsim_One &operator=(T v) { return *this = __warpsim_One(v); }
    __warpsim_from(float, float, __warpsim_F::round)
    __warpsim_from(double, double, __warpsim_F::round)
    __warpsim_from(short, int, __warpsim_F::round_integer)
    __warpsim_from(unsigned short, unsigned, __warpsim_F::round_integer)
    __warpsim_from(int, int, __warpsim_F::round_integer)
    __warpsim_from(unsigned, unsigned, __warpsim_F::round_integer)
    __warpsim_from(long, long long, __warpsim_F::round_integer)
    __warpsim_from(unsigned long, unsigned long long, __warpsim_F::round_integer)
    __warpsim_from(long long, long long, __warpsim_F::round_integer)
    __warpsim_from(unsigned long long, unsigned long long, __warpsim_F::round_integer)
#undef __warpsim_from
    __warpsim_method operator float() const { return __warpsim_single(); }
    __host__ __device__ constexpr operator bool() const { return (__x & 0x7fff) != 0; }
#define __warpsim_to(T)                                                                            \
    __warpsim_method operator T() const {                                                          \
        return __warpsim_whole<T>(__warpsim_single(), __warpsim_to_zero);                          \
    }
    __warpsim_to(char)
    __warpsim_to(signed char)
    __warpsim_to(unsigned char)
    __warpsim_to(short)
    __warpsim_to(unsigned short)
    __warpsim_to(int)
    __warpsim_to(unsigned)
    __warpsim_to(long)
    __warpsim_to(unsigned long)
    __warpsim_to(long long)
    __warpsim_to(unsigned long long)
#undef __warpsim_to
#endif
};

// The first of the two lies in the lower bits.
struct __attribute__((aligned(4))) __warpsim_Two {
    __warpsim_One x, y;
    __warpsim_Two() = default;
    __host__ __device__ constexpr __warpsim_Two(const __warpsim_One &a, const __warpsim_One &b)
        : x(a), y(b) {}
    __warpsim_method __warpsim_Two(const __warpsim_Two_raw &bits)
        : x(__warpsim_One::__warpsim_of(bits.x)), y(__warpsim_One::__warpsim_of(bits.y)) {}
    // A template, so that `= {}` means a pair of zeros alone.
    template <class Bits, class = decltype(__warpsim_Two(*(const Bits *)nullptr))>
    __warpsim_method __warpsim_Two &operator=(const Bits &bits) {
        return *this = __warpsim_Two(bits);
    }
    __warpsim_method operator __warpsim_Two_raw() const {
        __warpsim_Two_raw bits = {x.__x, y.__x};
        return bits;
    }
    __warpsim_method unsigned __warpsim_word() const { return (unsigned)y.__x << 16 | x.__x; }
    static __warpsim_method __warpsim_Two __warpsim_of(unsigned bits) {
        return __warpsim_Two(__warpsim_One::__warpsim_of(bits),
                             __warpsim_One::__warpsim_of(bits >> 16));
    }
};

// Sums, differences and products by themselves, `_rn` (never part of an fma: none is here), and
// between 0 and 1.
__warpsim_both __warpsim_One __warpsim_saturated(__warpsim_One a) {
    float v = a.__warpsim_single();
    return v > 0 ? v < 1 ? a : __warpsim_One::__warpsim_of(__warpsim_F::one)
                 : __warpsim_One::__warpsim_of(0);
}
__warpsim_both __warpsim_Two __warpsim_saturated(__warpsim_Two a) {
    return __warpsim_Two(__warpsim_saturated(a.x), __warpsim_saturated(a.y));
}
#define __warpsim_arithmetic(name, sign)                                                           \
    __warpsim_both __warpsim_One __h##name(const __warpsim_One a, const __warpsim_One b) {         \
        return __warpsim_One::__warpsim_of(__warpsim_here(                                         \
            __warpsim_F::name(a.__x, b.__x),                                                       \
            __warpsim_F::round((double)a.__warpsim_single() sign(double) b.__warpsim_single(),     \
                               __warpsim_nearest)));                                               \
    }                                                                                              \
    __warpsim_both __warpsim_Two __h##name##2(const __warpsim_Two a, const __warpsim_Two b) {      \
        return __warpsim_here(__warpsim_Two::__warpsim_of(                                         \
                                  __warpsim_F::name(a.__warpsim_word(), b.__warpsim_word())),      \
                              __warpsim_Two(__h##name(a.x, b.x), __h##name(a.y, b.y)));            \
    }                                                                                              \
    __warpsim_both __warpsim_One __h##name##_rn(const __warpsim_One a, const __warpsim_One b) {    \
        return __h##name(a, b);                                                                    \
    }                                                                                              \
    __warpsim_both __warpsim_Two __h##name##2_rn(const __warpsim_Two a, const __warpsim_Two b) {   \
        return __h##name##2(a, b);                                                                 \
    }                                                                                              \
    __warpsim_both __warpsim_One __h##name##_sat(const __warpsim_One a, const __warpsim_One b) {   \
        return __warpsim_saturated(__h##name(a, b));                                               \
    }                                                                                              \
    __warpsim_both __warpsim_Two __h##name##2_sat(const __warpsim_Two a, const __warpsim_Two b) {  \
        return __warpsim_saturated(__h##name##2(a, b));                                            \
    }
__warpsim_arithmetic(add, +)
__warpsim_arithmetic(sub, -)
__warpsim_arithmetic(mul, *)
#undef __warpsim_arithmetic
// A quotient of two is rounded once to float and once more, which is the same as once (24 bits are
// two more than twice 11).
__warpsim_both __warpsim_One __hdiv(const __warpsim_One a, const __warpsim_One b) {
    float quotient = a.__warpsim_single() / b.__warpsim_single();
    return __warpsim_One::__warpsim_of(__warpsim_here(
        __warpsim_F::nearest(quotient), __warpsim_F::round(quotient, __warpsim_nearest)));
}
__warpsim_both __warpsim_Two __h2div(const __warpsim_Two a, const __warpsim_Two b) {
    return __warpsim_Two(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
__warpsim_both __warpsim_One __hneg(const __warpsim_One a) {
    return __warpsim_One::__warpsim_of(a.__x ^ 0x8000u);
}
__warpsim_both __warpsim_Two __hneg2(const __warpsim_Two a) {
    return __warpsim_Two(__hneg(a.x), __hneg(a.y));
}
__warpsim_both __warpsim_One __habs(const __warpsim_One a) {
    return __warpsim_One::__warpsim_of(a.__x & 0x7fffu);
}
__warpsim_both __warpsim_Two __habs2(const __warpsim_Two a) {
    return __warpsim_Two(__habs(a.x), __habs(a.y));
}

// Comparisons: of one; `u` is true of a NaN, too; of two as numbers, as masks, and whether both
// hold (`b`).
__warpsim_both bool __hisnan(const __warpsim_One a) {
    return (a.__x & 0x7fff) > __warpsim_F::infinite;
}
__warpsim_both int __hisinf(const __warpsim_One a) {
    return (a.__x & 0x7fff) != __warpsim_F::infinite ? 0 : a.__x & 0x8000 ? -1 : 1;
}
__warpsim_both __warpsim_Two __warpsim_truths(__warpsim_Two, bool x, bool y) {
    const unsigned one = __warpsim_F::one;
    return __warpsim_Two(__warpsim_One::__warpsim_of(x ? one : 0),
                         __warpsim_One::__warpsim_of(y ? one : 0));
}
__warpsim_both __warpsim_Two __hisnan2(const __warpsim_Two a) {
    return __warpsim_truths(a, __hisnan(a.x), __hisnan(a.y));
}
#define __warpsim_comparison(name, expression)                                                     \
    __warpsim_both bool __h##name(const __warpsim_One a, const __warpsim_One b) {                  \
        bool unordered = __hisnan(a) || __hisnan(b);                                               \
        float x = a.__warpsim_single(), y = b.__warpsim_single();                                  \
        return expression;                                                                         \
    }                                                                                              \
    __warpsim_both __warpsim_Two __h##name##2(const __warpsim_Two a, const __warpsim_Two b) {      \
        return __warpsim_truths(a, __h##name(a.x, b.x), __h##name(a.y, b.y));                      \
    }                                                                                              \
    __warpsim_both unsigned __h##name##2_mask(const __warpsim_Two a, const __warpsim_Two b) {      \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);      \
    }                                                                                              \
    __warpsim_both bool __hb##name##2(const __warpsim_Two a, const __warpsim_Two b) {              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }
#define __warpsim_comparisons(name, sign)                                                          \
    __warpsim_comparison(name, !unordered && x sign y)                                             \
    __warpsim_comparison(name##u, unordered || x sign y)
__warpsim_comparisons(eq, ==)
__warpsim_comparisons(ne, !=)
__warpsim_comparisons(lt, <)
__warpsim_comparisons(le, <=)
__warpsim_comparisons(gt, >)
__warpsim_comparisons(ge, >=)
#undef __warpsim_comparisons
#undef __warpsim_comparison

// The operators. `!=` is true of a NaN; of two numbers it is true if both differ.
#define __warpsim_operator(T, sign, name)                                                          \
    __warpsim_both T operator sign(const T &a, const T &b) { return name(a, b); }                  \
    __warpsim_both T &operator sign##=(T & a, const T & b) { return a = name(a, b); }
#define __warpsim_step(T, sign, name, one)                                                         \
    __warpsim_both T &operator sign(T & a) { return a = name(a, one); }                            \
    __warpsim_both T operator sign(T &a, int) {                                                    \
        T was = a;                                                                                 \
        a = name(a, one);                                                                          \
        return was;                                                                                \
    }
#define __warpsim_relation(T, sign, name)                                                          \
    __warpsim_both bool operator sign(const T &a, const T &b) { return name(a, b); }
#define __warpsim_operators(T, add, sub, mul, div, neg, b, n, one)                                 \
    __warpsim_operator(T, +, add)                                                                  \
    __warpsim_operator(T, -, sub)                                                                  \
    __warpsim_operator(T, *, mul)                                                                  \
    __warpsim_operator(T, /, div)                                                                  \
    __warpsim_step(T, ++, add, one)                                                                \
    __warpsim_step(T, --, sub, one)                                                                \
    __warpsim_both T operator+(const T &a) { return a; }                                           \
    __warpsim_both T operator-(const T &a) { return neg(a); }                                      \
    __warpsim_relation(T, ==, b##eq##n)                                                            \
    __warpsim_relation(T, !=, b##neu##n)                                                           \
    __warpsim_relation(T, <, b##lt##n)                                                             \
    __warpsim_relation(T, <=, b##le##n)                                                            \
    __warpsim_relation(T, >, b##gt##n)                                                             \
    __warpsim_relation(T, >=, b##ge##n)
#define __warpsim_ones __warpsim_truths(__warpsim_Two(), true, true)
#ifndef __warpsim_no_operators
__warpsim_operators(__warpsim_One, __hadd, __hsub, __hmul, __hdiv, __hneg, __h, , __warpsim_ones.x)
#endif
#ifndef __warpsim_no_operators2
__warpsim_operators(__warpsim_Two, __hadd2, __hsub2, __hmul2, __h2div, __hneg2, __hb, 2,
                    __warpsim_ones)
#endif
#undef __warpsim_ones
#undef __warpsim_operators
#undef __warpsim_operator
#undef __warpsim_step
#undef __warpsim_relation
