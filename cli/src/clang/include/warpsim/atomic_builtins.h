// Atomic functions with a memory order and a scope: `__nv_atomic_*` (CUDA C++ Programming Guide,
// "Built-in Atomic Functions").
//
// Order and scope are constants of a call, and a switch over them leaves one instruction.
// Sequential consistency is a `fence.sc` before an operation that acquires, as in the PTX memory
// model's mapping of C++. The scope of one thread is that of the block here, and that of a cluster
// the device's below sm_90. Arithmetic is for 4 and 8 bytes, as documented; loads, stores and
// exchanges are for 1 to 16 bytes, of which 16 from sm_90 on; those of 1 byte read or try the word
// that holds it, so that a race with plain accesses to its other bytes is told.
#pragma once
#pragma GCC system_header

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1

// The statement `each(scope, ...)` of the scope.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define __warpsim_cluster "gpu"
#else
#define __warpsim_cluster "cluster"
#endif
#define __warpsim_scoped(scope, each, ...)                                                         \
    switch (scope) {                                                                               \
    case __NV_THREAD_SCOPE_THREAD:                                                                 \
    case __NV_THREAD_SCOPE_BLOCK:                                                                  \
        each("cta", __VA_ARGS__);                                                                  \
        break;                                                                                     \
    case __NV_THREAD_SCOPE_CLUSTER:                                                                \
        each(__warpsim_cluster, __VA_ARGS__);                                                      \
        break;                                                                                     \
    case __NV_THREAD_SCOPE_DEVICE:                                                                 \
        each("gpu", __VA_ARGS__);                                                                  \
        break;                                                                                     \
    default:                                                                                       \
        each("sys", __VA_ARGS__);                                                                  \
    }
#define __warpsim_fence(scope, kind) __asm__ volatile("fence." kind "." scope ";" : : : "memory")
__warpsim_device void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order == __NV_ATOMIC_SEQ_CST) {
        __warpsim_scoped(scope, __warpsim_fence, "sc")
    } else if (order != __NV_ATOMIC_RELAXED) {
        __warpsim_scoped(scope, __warpsim_fence, "acq_rel")
    }
}
// What comes before a sequentially consistent operation.
__warpsim_device void __warpsim_fence_before(int order, int scope) {
    if (order == __NV_ATOMIC_SEQ_CST) __nv_atomic_thread_fence(order, scope);
}

// Operations of the bits of a value.
#define __warpsim_order_of_load(scope, type, letter)                                               \
    if (order == __NV_ATOMIC_RELAXED)                                                              \
        __asm__ volatile("ld.relaxed." scope "." type " %0, [%1];"                                 \
                         : "=" letter(v)                                                           \
                         : "l"(p)                                                                  \
                         : "memory");                                                              \
    else                                                                                           \
        __asm__ volatile("ld.acquire." scope "." type " %0, [%1];"                                 \
                         : "=" letter(v)                                                           \
                         : "l"(p)                                                                  \
                         : "memory")
#define __warpsim_order_of_store(scope, type, letter)                                              \
    if (order == __NV_ATOMIC_RELAXED || order == __NV_ATOMIC_SEQ_CST)                              \
        __asm__ volatile("st.relaxed." scope "." type " [%0], %1;"                                 \
                         :                                                                         \
                         : "l"(p), letter(v)                                                       \
                         : "memory");                                                              \
    else                                                                                           \
        __asm__ volatile("st.release." scope "." type " [%0], %1;" : : "l"(p), letter(v) : "memory")
#define __warpsim_access(W, type, letter)                                                          \
    __warpsim_device W __warpsim_load_bits(const volatile void *p, W, int order, int scope) {      \
        W v;                                                                                       \
        __warpsim_fence_before(order, scope);                                                      \
        __warpsim_scoped(scope, __warpsim_order_of_load, type, letter) return v;                   \
    }                                                                                              \
    __warpsim_device void __warpsim_store_bits(volatile void *p, W v, int order, int scope)        \
    {                                                                                              \
        __warpsim_fence_before(order, scope);                                                      \
        __warpsim_scoped(scope, __warpsim_order_of_store, type, letter)                            \
    }
__warpsim_access(unsigned short, "u16", "h")
__warpsim_access(unsigned, "u32", "r")
__warpsim_access(unsigned long long, "u64", "l")
#undef __warpsim_access
#undef __warpsim_order_of_load
#undef __warpsim_order_of_store

// The order and the scope stand between `before` and `after`.
#define __warpsim_order_of_change(scope, before, after, ...)                                       \
    switch (order) {                                                                               \
    case __NV_ATOMIC_RELAXED:                                                                      \
        __asm__ volatile(before ".relaxed." scope after __VA_ARGS__ : "memory");                   \
        break;                                                                                     \
    case __NV_ATOMIC_RELEASE:                                                                      \
        __asm__ volatile(before ".release." scope after __VA_ARGS__ : "memory");                   \
        break;                                                                                     \
    case __NV_ATOMIC_ACQ_REL:                                                                      \
        __asm__ volatile(before ".acq_rel." scope after __VA_ARGS__ : "memory");                   \
        break;                                                                                     \
    default:                                                                                       \
        __asm__ volatile(before ".acquire." scope after __VA_ARGS__ : "memory");                   \
    }
#define __warpsim_change(name, T, type, letter)                                                    \
    __warpsim_device T __warpsim_atomic_##name(volatile void *p, T v, int order, int scope) {      \
        T old;                                                                                     \
        __warpsim_fence_before(order, scope);                                                      \
        __warpsim_scoped(scope, __warpsim_order_of_change, "atom",                                 \
                         "." #name "." type " %0, [%1], %2;", : "=" letter(old) : "l"(p),          \
                         letter(v)) return old;                                                    \
    }
#define __warpsim_cas_bits(W, type, letter)                                                        \
    __warpsim_device W __warpsim_atomic_cas(volatile void *p, W expected, W v, int order,          \
                                            int scope) {                                           \
        W old;                                                                                     \
        __warpsim_fence_before(order, scope);                                                      \
        __warpsim_scoped(scope, __warpsim_order_of_change, "atom",                                 \
                         ".cas." type " %0, [%1], %2, %3;", : "=" letter(old) : "l"(p),            \
                         letter(expected), letter(v)) return old;                                  \
    }
__warpsim_change(add, unsigned, "u32", "r")
__warpsim_change(add, unsigned long long, "u64", "l")
__warpsim_change(add, float, "f32", "f")
__warpsim_change(add, double, "f64", "d")
__warpsim_change(min, int, "s32", "r")
__warpsim_change(min, unsigned, "u32", "r")
__warpsim_change(min, long long, "s64", "l")
__warpsim_change(min, unsigned long long, "u64", "l")
__warpsim_change(max, int, "s32", "r")
__warpsim_change(max, unsigned, "u32", "r")
__warpsim_change(max, long long, "s64", "l")
__warpsim_change(max, unsigned long long, "u64", "l")
__warpsim_change(and, unsigned, "b32", "r")
__warpsim_change(and, unsigned long long, "b64", "l")
__warpsim_change(or, unsigned, "b32", "r")
__warpsim_change(or, unsigned long long, "b64", "l")
__warpsim_change(xor, unsigned, "b32", "r")
__warpsim_change(xor, unsigned long long, "b64", "l")
__warpsim_change(exch, unsigned, "b32", "r")
__warpsim_change(exch, unsigned long long, "b64", "l")
__warpsim_cas_bits(unsigned, "b32", "r")
__warpsim_cas_bits(unsigned long long, "b64", "l")
#undef __warpsim_change

__warpsim_cas_bits(unsigned short, "b16", "h")
#undef __warpsim_cas_bits
__warpsim_device unsigned short __warpsim_atomic_exch(volatile void *p, unsigned short v, int order,
                                                      int scope)
{
    unsigned short seen = __warpsim_load_bits(p, v, __NV_ATOMIC_RELAXED, scope), was;
    while ((was = __warpsim_atomic_cas(p, seen, v, order, scope)) != seen) seen = was;
    return seen;
}

// A byte, within its word, in which the others stay as they are. What changes nothing is tried,
// too, for its order.
template <class Next>
__warpsim_device unsigned char __warpsim_change_byte(volatile void *p, Next next, int order,
                                                     int scope) {
    unsigned long long address = (unsigned long long)p;
    volatile unsigned *word = (volatile unsigned *)(address & ~3ull);
    unsigned shift = (unsigned)(address & 3) * 8,
             seen = __warpsim_load_bits(word, 0u, __NV_ATOMIC_RELAXED, scope);
    for (;;) {
        unsigned char old = (unsigned char)(seen >> shift);
        unsigned was = __warpsim_atomic_cas(
            word, seen, (seen & ~(255u << shift)) | (unsigned)next(old) << shift, order, scope);
        if (was == seen) return old;
        seen = was;
    }
}
__warpsim_device unsigned char __warpsim_atomic_exch(volatile void *p, unsigned char v, int order,
                                                     int scope)
{
    return __warpsim_change_byte(p, [v](unsigned char) { return v; }, order, scope);
}
__warpsim_device unsigned char __warpsim_atomic_cas(volatile void *p, unsigned char expected,
                                                    unsigned char v, int order, int scope) {
    return __warpsim_change_byte(
        p, [=](unsigned char old) { return old == expected ? v : old; }, order, scope);
}
__warpsim_device unsigned char __warpsim_load_bits(const volatile void *p, unsigned char, int order,
                                                   int scope) {
    unsigned long long address = (unsigned long long)p;
    return (unsigned char)(__warpsim_load_bits((const volatile void *)(address & ~3ull), 0u, order,
                                               scope) >>
                           (address & 3) * 8);
}
__warpsim_device void __warpsim_store_bits(volatile void *p, unsigned char v, int order, int scope)
{
    __warpsim_atomic_exch(p, v, order, scope);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// 16 bytes. A load is a comparison that changes nothing, and a store an exchange: neither is for
// memory that is only read.
__warpsim_device __warpsim_bits128 __warpsim_atomic_exch(volatile void *p, __warpsim_bits128 v,
                                                         int order, int scope)
{
    __warpsim_bits128 old;
    __warpsim_fence_before(order, scope);
    __warpsim_scoped(scope, __warpsim_order_of_change,
                     "{ .reg .b128 old, v; mov.b128 v, {%3, %4}; atom",
                     ".exch.b128 old, [%2], v; mov.b128 {%0, %1}, old; }", : "=l"(old.low),
                     "=l"(old.high) : "l"(p), "l"(v.low), "l"(v.high)) return old;
}
__warpsim_device __warpsim_bits128 __warpsim_atomic_cas(volatile void *p, __warpsim_bits128 e,
                                                        __warpsim_bits128 v, int order, int scope) {
    __warpsim_bits128 old;
    __warpsim_fence_before(order, scope);
    __warpsim_scoped(scope, __warpsim_order_of_change,
                     "{ .reg .b128 old, e, v; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6}; atom",
                     ".cas.b128 old, [%2], e, v; mov.b128 {%0, %1}, old; }", : "=l"(old.low),
                     "=l"(old.high) : "l"(p), "l"(e.low), "l"(e.high), "l"(v.low),
                     "l"(v.high)) return old;
}
__warpsim_device __warpsim_bits128 __warpsim_load_bits(const volatile void *p,
                                                       __warpsim_bits128 zero, int order,
                                                       int scope) {
    return __warpsim_atomic_cas((volatile void *)p, zero, zero, order, scope);
}
__warpsim_device void __warpsim_store_bits(volatile void *p, __warpsim_bits128 v, int order,
                                           int scope)
{
    __warpsim_atomic_exch(p, v, order, scope);
}
__warpsim_device bool operator==(__warpsim_bits128 a, __warpsim_bits128 b) {
    return a.low == b.low && a.high == b.high;
}
#endif
#undef __warpsim_order_of_change

// The words of a type, and what arithmetic takes it for.
template <unsigned long bytes> struct __warpsim_atomic_word {};
template <> struct __warpsim_atomic_word<1> {
    typedef unsigned char type;
};
template <> struct __warpsim_atomic_word<2> {
    typedef unsigned short type;
};
template <> struct __warpsim_atomic_word<4> {
    typedef unsigned type;
};
template <> struct __warpsim_atomic_word<8> {
    typedef unsigned long long type;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <> struct __warpsim_atomic_word<16> {
    typedef __warpsim_bits128 type;
};
#endif
template <class T> struct __warpsim_atomic_value {
    typedef T type;
    typedef typename __warpsim_atomic_word<sizeof(T)>::type Word;
    static_assert(__is_trivially_copyable(T),
                  "an atomic operation needs a type that is copied as bytes");
};
template <bool is_signed, unsigned long bytes> struct __warpsim_atomic_number {
    static_assert(bytes != bytes, "atomic arithmetic needs 4 or 8 bytes");
};
template <> struct __warpsim_atomic_number<false, 4> {
    typedef unsigned type;
};
template <> struct __warpsim_atomic_number<true, 4> {
    typedef int type;
};
template <> struct __warpsim_atomic_number<false, 8> {
    typedef unsigned long long type;
};
template <> struct __warpsim_atomic_number<true, 8> {
    typedef long long type;
};
template <class T> struct __warpsim_atomic_added {
    typedef typename __warpsim_atomic_number<false, sizeof(T)>::type type;
};
template <> struct __warpsim_atomic_added<float> {
    typedef float type;
};
template <> struct __warpsim_atomic_added<double> {
    typedef double type;
};
template <class T> struct __warpsim_atomic_ordered_as {
    typedef typename __warpsim_atomic_number<((T)-1 < (T)0), sizeof(T)>::type type;
};
template <class T> struct __warpsim_atomic_masked {
    typedef typename __warpsim_atomic_number<false, sizeof(T)>::type type;
};

#define __warpsim_order_and_scope int order, int scope = __NV_THREAD_SCOPE_SYSTEM
#define __warpsim_fetch(name, operation, as, value)                                                \
    template <class T>                                                                             \
    __warpsim_device T __nv_atomic_fetch_##name(                                                   \
        volatile T *p, typename __warpsim_atomic_value<T>::type v, __warpsim_order_and_scope) {    \
        typedef typename as<T>::type N;                                                            \
        return (T)__warpsim_atomic_##operation(p, (N)(value), order, scope);                       \
    }                                                                                              \
    template <class T>                                                                             \
    __warpsim_device void __nv_atomic_##name(                                                      \
        volatile T *p, typename __warpsim_atomic_value<T>::type v, __warpsim_order_and_scope) {    \
        __nv_atomic_fetch_##name(p, v, order, scope);                                              \
    }
__warpsim_fetch(add, add, __warpsim_atomic_added, v)
__warpsim_fetch(sub, add, __warpsim_atomic_added, -(N)v)
__warpsim_fetch(min, min, __warpsim_atomic_ordered_as, v)
__warpsim_fetch(max, max, __warpsim_atomic_ordered_as, v)
__warpsim_fetch(and, and, __warpsim_atomic_masked, v)
__warpsim_fetch(or, or, __warpsim_atomic_masked, v)
__warpsim_fetch(xor, xor, __warpsim_atomic_masked, v)
#undef __warpsim_fetch

template <class T>
__warpsim_device T __nv_atomic_load_n(const volatile T *p, __warpsim_order_and_scope) {
    return __builtin_bit_cast(
        T, __warpsim_load_bits(p, typename __warpsim_atomic_value<T>::Word(), order, scope));
}
template <class T>
__warpsim_device void __nv_atomic_load(const volatile T *p, T *to, __warpsim_order_and_scope) {
    *to = __nv_atomic_load_n(p, order, scope);
}
template <class T>
__warpsim_device void __nv_atomic_store_n(volatile T *p, typename __warpsim_atomic_value<T>::type v,
                                          __warpsim_order_and_scope) {
    __warpsim_store_bits(p, __builtin_bit_cast(typename __warpsim_atomic_value<T>::Word, v), order,
                         scope);
}
template <class T>
__warpsim_device void __nv_atomic_store(volatile T *p, const T *v, __warpsim_order_and_scope) {
    __nv_atomic_store_n(p, *v, order, scope);
}
template <class T>
__warpsim_device T __nv_atomic_exchange_n(volatile T *p, typename __warpsim_atomic_value<T>::type v,
                                          __warpsim_order_and_scope) {
    return __builtin_bit_cast(
        T, __warpsim_atomic_exch(p, __builtin_bit_cast(typename __warpsim_atomic_value<T>::Word, v),
                                 order, scope));
}
template <class T>
__warpsim_device void __nv_atomic_exchange(volatile T *p, const T *v, T *to,
                                           __warpsim_order_and_scope) {
    *to = __nv_atomic_exchange_n(p, *v, order, scope);
}
// Of the orders of success and of failure, one that does for both.
__warpsim_device int __warpsim_order_of_both(int success, int failure) {
    bool acquires = failure == __NV_ATOMIC_ACQUIRE || failure == __NV_ATOMIC_CONSUME ||
                    failure == __NV_ATOMIC_ACQ_REL;
    return failure == __NV_ATOMIC_SEQ_CST || success == __NV_ATOMIC_SEQ_CST
               ? (int)__NV_ATOMIC_SEQ_CST
           : !acquires                      ? success
           : success == __NV_ATOMIC_RELEASE ? (int)__NV_ATOMIC_ACQ_REL
           : success == __NV_ATOMIC_RELAXED ? (int)__NV_ATOMIC_ACQUIRE
                                            : success;
}
template <class T>
__warpsim_device bool __nv_atomic_compare_exchange_n(volatile T *p, T *expected,
                                                     typename __warpsim_atomic_value<T>::type v,
                                                     bool, int success, int failure,
                                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
    typedef typename __warpsim_atomic_value<T>::Word Word;
    Word e = __builtin_bit_cast(Word, *expected);
    Word old = __warpsim_atomic_cas(p, e, __builtin_bit_cast(Word, v),
                                    __warpsim_order_of_both(success, failure), scope);
    if (old == e) return true;
    *expected = __builtin_bit_cast(T, old);
    return false;
}
template <class T>
__warpsim_device bool __nv_atomic_compare_exchange(volatile T *p, T *expected, const T *v,
                                                   bool weak, int success, int failure,
                                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return __nv_atomic_compare_exchange_n(p, expected, *v, weak, success, failure, scope);
}
#undef __warpsim_order_and_scope
#undef __warpsim_scoped
#undef __warpsim_fence
#undef __warpsim_cluster
