// Matrices of a warp (CUDA C++ Programming Guide, "Warp Matrix Functions"): `nvcuda::wmma`, by the
// `wmma` instructions of PTX.
//
// All documented types and shapes are here, of which the architecture has to have the instructions:
// sm_70 for half, sm_72 for bytes, sm_75 for parts of bytes, sm_80 for bfloat16, tf32 and double.
// Another fragment is a type that is not defined.
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__
#pragma GCC system_header
#include "cuda_bf16.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

// `size` numbers of a matrix, which numbers of it is not said; they lie in `x`, several in an
// element if they are parts of bytes.
template <class Element, class Storage, int size, int stored> struct __warpsim_fragment {
    typedef Element element_type;
    typedef Storage storage_element_type;
    enum { num_elements = size, num_storage_elements = stored };
    Storage x[stored];
};
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

// The registers of a fragment.
template <class R, int count> struct __warpsim_registers {
    R r[count];
};

// `T` in the names of fragments, stored as `S`; `count` registers `R` by the letter of assembly.
#define __warpsim_fragment_of(Use, m, n, k, T, Layout, S, size, stored)                            \
    template <>                                                                                    \
    class fragment<Use, m, n, k, T, Layout> : public __warpsim_fragment<T, S, size, stored> {};
#define __warpsim_stored_as(Use, m, n, k, T, Layout, S, size, stored, Element)                     \
    template <>                                                                                    \
    class fragment<Use, m, n, k, T, Layout>                                                        \
        : public __warpsim_fragment<Element, S, size, stored> {};

// Operands by their names, in braces, and as arguments of an assembly statement.
#define __warpsim_list1(v) "{%[" #v "0]}"
#define __warpsim_list2(v) "{%[" #v "0], %[" #v "1]}"
#define __warpsim_list4(v) "{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3]}"
#define __warpsim_list8(v)                                                                         \
    "{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3], %[" #v "4], %[" #v "5], %[" #v "6], %[" #v   \
    "7]}"
#define __warpsim_out1(v, L) [v##0] "=" L(v.r[0])
#define __warpsim_out2(v, L)                                                                       \
    __warpsim_out1(v, L)                                                                           \
    , [v##1] "=" L(v.r[1])
#define __warpsim_out4(v, L)                                                                       \
    __warpsim_out2(v, L)                                                                           \
    , [v##2] "=" L(v.r[2]), [v##3] "=" L(v.r[3])
#define __warpsim_out8(v, L)                                                                       \
    __warpsim_out4(v, L)                                                                           \
    , [v##4] "=" L(v.r[4]), [v##5] "=" L(v.r[5]), [v##6] "=" L(v.r[6]), [v##7] "=" L(v.r[7])
#define __warpsim_in1(v, L) [v##0] L(v.r[0])
#define __warpsim_in2(v, L)                                                                        \
    __warpsim_in1(v, L)                                                                            \
    , [v##1] L(v.r[1])
#define __warpsim_in4(v, L)                                                                        \
    __warpsim_in2(v, L)                                                                            \
    , [v##2] L(v.r[2]), [v##3] L(v.r[3])
#define __warpsim_in8(v, L)                                                                        \
    __warpsim_in4(v, L)                                                                            \
    , [v##4] L(v.r[4]), [v##5] L(v.r[5]), [v##6] L(v.r[6]), [v##7] L(v.r[7])

#define __warpsim_load_text(text, R, L, count)                                                     \
    __warpsim_registers<R, count> v;                                                               \
    __asm__ volatile(text " " __warpsim_list##count(v) ", [%[p]], %[ldm];"                         \
                     : __warpsim_out##count(v, L)                                                  \
                     : [p] "l"(p), [ldm] "r"(ldm)                                                  \
                     : "memory");                                                                  \
    __builtin_memcpy(f.x, v.r, sizeof f.x)
#define __warpsim_store_text(text, R, L, count)                                                    \
    __asm__ volatile(text " [%[p]], " __warpsim_list##count(v) ", %[ldm];"                         \
                     :                                                                             \
                     : __warpsim_in##count(v, L), [p] "l"(p), [ldm] "r"(ldm)                       \
                     : "memory")
// A factor of one layout, and the loading of it from memory of type P.
#define __warpsim_factor(Use, use, m, n, k, T, Layout, layout, P, type, S, size, stored, Element,  \
                         R, L, count)                                                              \
    __warpsim_stored_as(Use, m, n, k, T, Layout, S, size, stored, Element)                         \
    __warpsim_device void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f, const P *p,       \
                                           const unsigned ldm) {                                   \
        __warpsim_load_text(                                                                       \
            "wmma.load." use ".sync.aligned." layout ".m" #m "n" #n "k" #k "." type, R, L, count); \
    }
#define __warpsim_factors(m, n, k, T, P, type, S, Element, R, L, size_a, count_a, size_b, count_b) \
    __warpsim_factor(matrix_a, "a", m, n, k, T, row_major, "row", P, type, S, size_a, size_a,      \
                     Element, R, L, count_a)                                                       \
    __warpsim_factor(matrix_a, "a", m, n, k, T, col_major, "col", P, type, S, size_a, size_a,      \
                     Element, R, L, count_a)                                                       \
    __warpsim_factor(matrix_b, "b", m, n, k, T, row_major, "row", P, type, S, size_b, size_b,      \
                     Element, R, L, count_b)                                                       \
    __warpsim_factor(matrix_b, "b", m, n, k, T, col_major, "col", P, type, S, size_b, size_b,      \
                     Element, R, L, count_b)
// A sum, which is in memory in either layout.
#define __warpsim_sum(m, n, k, T, type, R, L, size, count)                                         \
    __warpsim_fragment_of(accumulator, m, n, k, T, void, T, size, size)                            \
    __warpsim_device void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p,       \
                                           const unsigned ldm, const layout_t layout) {            \
        if (layout == mem_row_major) {                                                             \
            __warpsim_load_text("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." type, R, L,  \
                                count);                                                            \
        } else {                                                                                   \
            __warpsim_load_text("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." type, R, L,  \
                                count);                                                            \
        }                                                                                          \
    }                                                                                              \
    __warpsim_device void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f,      \
                                            const unsigned ldm, const layout_t layout) {           \
        __warpsim_registers<R, count> v;                                                           \
        __builtin_memcpy(v.r, f.x, sizeof f.x);                                                    \
        if (layout == mem_row_major)                                                               \
            __warpsim_store_text("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." type, R,   \
                                 L, count);                                                        \
        else                                                                                       \
            __warpsim_store_text("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." type, R,   \
                                 L, count);                                                        \
    }

// d = a * b + c.
#define __warpsim_product_text(text, LD, count_d, LA, count_a, count_b, LC, count_c)               \
    __asm__ volatile(text " " __warpsim_list##count_d(rd) ", " __warpsim_list##count_a(            \
                         ra) ", " __warpsim_list##count_b(rb) ", " __warpsim_list##count_c(rc) ";" \
                     : __warpsim_out##count_d(rd, LD)                                              \
                     : __warpsim_in##count_a(ra, LA), __warpsim_in##count_b(rb, LA),               \
                       __warpsim_in##count_c(rc, LC)                                               \
                     : "memory")
#define __warpsim_product_begins(RD, count_d, RA, count_a, count_b, RC, count_c)                   \
    __warpsim_registers<RA, count_a> ra;                                                           \
    __warpsim_registers<RA, count_b> rb;                                                           \
    __warpsim_registers<RC, count_c> rc;                                                           \
    __warpsim_registers<RD, count_d> rd;                                                           \
    __builtin_memcpy(ra.r, a.x, sizeof a.x), __builtin_memcpy(rb.r, b.x, sizeof b.x),              \
        __builtin_memcpy(rc.r, c.x, sizeof c.x)
#define __warpsim_product(m, n, k, T, A, a_, B, b_, types, TD, RD, LD, count_d, RA, LA, count_a,   \
                          count_b, TC, RC, LC, count_c)                                            \
    __warpsim_device void mma_sync(                                                                \
        fragment<accumulator, m, n, k, TD> &d, const fragment<matrix_a, m, n, k, T, A> &a,         \
        const fragment<matrix_b, m, n, k, T, B> &b, const fragment<accumulator, m, n, k, TC> &c) { \
        __warpsim_product_begins(RD, count_d, RA, count_a, count_b, RC, count_c);                  \
        __warpsim_product_text("wmma.mma.sync.aligned." a_ "." b_ ".m" #m "n" #n "k" #k "." types, \
                               LD, count_d, LA, count_a, count_b, LC, count_c);                    \
        __builtin_memcpy(d.x, rd.r, sizeof d.x);                                                   \
    }
// Of bytes and their parts, the sums may stay within the ends of int.
#define __warpsim_whole_product(m, n, k, T, A, a_, B, b_, types, count_d, count_a, count_b)        \
    __warpsim_device void mma_sync(                                                                \
        fragment<accumulator, m, n, k, int> &d, const fragment<matrix_a, m, n, k, T, A> &a,        \
        const fragment<matrix_b, m, n, k, T, B> &b, const fragment<accumulator, m, n, k, int> &c,  \
        bool satf = false) {                                                                       \
        __warpsim_product_begins(int, count_d, unsigned, count_a, count_b, int, count_d);          \
        if (satf)                                                                                  \
            __warpsim_product_text("wmma.mma.sync.aligned." a_ "." b_ ".m" #m "n" #n "k" #k        \
                                   "." types ".satfinite",                                         \
                                   "r", count_d, "r", count_a, count_b, "r", count_d);             \
        else                                                                                       \
            __warpsim_product_text("wmma.mma.sync.aligned." a_ "." b_ ".m" #m "n" #n "k" #k        \
                                   "." types,                                                      \
                                   "r", count_d, "r", count_a, count_b, "r", count_d);             \
        __builtin_memcpy(d.x, rd.r, sizeof d.x);                                                   \
    }
#define __warpsim_layouts(each, m, n, k, T, ...)                                                   \
    each(m, n, k, T, row_major, "row", row_major, "row", __VA_ARGS__)                              \
        each(m, n, k, T, row_major, "row", col_major, "col", __VA_ARGS__)                          \
            each(m, n, k, T, col_major, "col", row_major, "row", __VA_ARGS__)                      \
                each(m, n, k, T, col_major, "col", col_major, "col", __VA_ARGS__)
#define __warpsim_shapes(each, ...)                                                                \
    each(16, 16, 16, __VA_ARGS__) each(8, 32, 16, __VA_ARGS__) each(32, 8, 16, __VA_ARGS__)

// Halves, with sums of half and of float.
#define __warpsim_halves_of(m, n, k, T)                                                            \
    __warpsim_factors(m, n, k, T, T, "f16", T, T, unsigned, "r", 16, 8, 16, 8)                     \
    __warpsim_sum(m, n, k, T, "f16", unsigned, "r", 8, 4)                                          \
    __warpsim_sum(m, n, k, float, "f32", float, "f", 8, 8)                                         \
    __warpsim_layouts(__warpsim_product, m, n, k, T, "f16.f16", T, unsigned, "r", 4, unsigned,     \
                      "r", 8, 8, T, unsigned, "r", 4)                                              \
    __warpsim_layouts(__warpsim_product, m, n, k, T, "f32.f16", float, float, "f", 8, unsigned,    \
                      "r", 8, 8, T, unsigned, "r", 4)                                              \
    __warpsim_layouts(__warpsim_product, m, n, k, T, "f16.f32", T, unsigned, "r", 4, unsigned,     \
                      "r", 8, 8, float, float, "f", 8)                                             \
    __warpsim_layouts(__warpsim_product, m, n, k, T, "f32.f32", float, float, "f", 8, unsigned,    \
                      "r", 8, 8, float, float, "f", 8)
__warpsim_shapes(__warpsim_halves_of, __half)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
#define __warpsim_bytes_of(m, n, k, T, type, size_a, count_a, size_b, count_b)                     \
    __warpsim_factors(m, n, k, T, T, type, T, T, unsigned, "r", size_a, count_a, size_b, count_b)  \
    __warpsim_layouts(__warpsim_whole_product, m, n, k, T, "s32." type "." type ".s32", 8,         \
                      count_a, count_b)
__warpsim_sum(16, 16, 16, int, "s32", int, "r", 8, 8)
__warpsim_sum(8, 32, 16, int, "s32", int, "r", 8, 8)
__warpsim_sum(32, 8, 16, int, "s32", int, "r", 8, 8)
__warpsim_bytes_of(16, 16, 16, signed char, "s8", 8, 2, 8, 2)
__warpsim_bytes_of(8, 32, 16, signed char, "s8", 4, 1, 16, 4)
__warpsim_bytes_of(32, 8, 16, signed char, "s8", 16, 4, 4, 1)
__warpsim_bytes_of(16, 16, 16, unsigned char, "u8", 8, 2, 8, 2)
__warpsim_bytes_of(8, 32, 16, unsigned char, "u8", 4, 1, 16, 4)
__warpsim_bytes_of(32, 8, 16, unsigned char, "u8", 16, 4, 4, 1)
#undef __warpsim_bytes_of
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
// Parts of bytes: the first matrix by rows, the second by columns.
#define __warpsim_parts_of(k, T, S, type, size)                                                    \
    __warpsim_factor(matrix_a, "a", 8, 8, k, T, row_major, "row", void, type, S, size, 1, T,       \
                     unsigned, "r", 1)                                                             \
    __warpsim_factor(matrix_b, "b", 8, 8, k, T, col_major, "col", void, type, S, size, 1, T,       \
                     unsigned, "r", 1)
__warpsim_sum(8, 8, 32, int, "s32", int, "r", 2, 2)
__warpsim_sum(8, 8, 128, int, "s32", int, "r", 2, 2)
__warpsim_parts_of(32, experimental::precision::s4, int, "s4", 8)
__warpsim_parts_of(32, experimental::precision::u4, unsigned, "u4", 8)
__warpsim_parts_of(128, experimental::precision::b1, unsigned, "b1", 32)
__warpsim_whole_product(8, 8, 32, experimental::precision::s4, row_major, "row", col_major, "col",
                        "s32.s4.s4.s32", 2, 1, 1)
__warpsim_whole_product(8, 8, 32, experimental::precision::u4, row_major, "row", col_major, "col",
                        "s32.u4.u4.s32", 2, 1, 1)
#undef __warpsim_parts_of
// How many bits of a row and a column differ, or are both set (from sm_80 on), added to c.
__warpsim_device void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    __warpsim_product_begins(int, 2, unsigned, 1, 1, int, 2);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if (operation == experimental::bmmaBitOpAND)
        __warpsim_product_text("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "r",
                               2, "r", 1, 1, "r", 2);
    else
#endif
        __warpsim_product_text("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "r",
                               2, "r", 1, 1, "r", 2);
    __builtin_memcpy(d.x, rd.r, sizeof d.x);
}
namespace experimental {
using wmma::bmma_sync;
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __warpsim_upper_of(m, n, k, size_a, count_a, size_b, count_b)                              \
    __warpsim_factors(m, n, k, __nv_bfloat16, __nv_bfloat16, "bf16", __nv_bfloat16, __nv_bfloat16, \
                      unsigned, "r", size_a, count_a, size_b, count_b)                             \
    __warpsim_layouts(__warpsim_product, m, n, k, __nv_bfloat16, "f32.bf16.bf16.f32", float,       \
                      float, "f", 8, unsigned, "r", count_a, count_b, float, float, "f", 8)
__warpsim_upper_of(16, 16, 16, 8, 4, 8, 4)
__warpsim_upper_of(8, 32, 16, 4, 2, 16, 8)
__warpsim_upper_of(32, 8, 16, 16, 8, 4, 2)
#undef __warpsim_upper_of
// Floats of which 10 bits of the fraction count: `__float_to_tf32` rounds to them.
__warpsim_factors(16, 16, 8, precision::tf32, float, "tf32", float, float, unsigned, "r", 4, 4, 4,
                  4)
__warpsim_sum(16, 16, 8, float, "f32", float, "f", 8, 8)
__warpsim_layouts(__warpsim_product, 16, 16, 8, precision::tf32, "f32.tf32.tf32.f32", float, float,
                  "f", 8, unsigned, "r", 4, 4, float, float, "f", 8)
__warpsim_device float __float_to_tf32(float v) {
    unsigned bits;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return __uint_as_float(bits);
}
__warpsim_factors(8, 8, 4, double, double, "f64", double, double, double, "d", 1, 1, 1, 1)
__warpsim_sum(8, 8, 4, double, "f64", double, "d", 2, 2)
__warpsim_layouts(__warpsim_product, 8, 8, 4, double, "f64.f64.f64.f64", double, double, "d", 2,
                  double, "d", 1, 1, double, double, "d", 2)
#endif

template <class T> struct __warpsim_filled {
    typedef T type;
};
template <class E, class S, int size, int stored>
__warpsim_device void fill_fragment(__warpsim_fragment<E, S, size, stored> &f,
                                    const typename __warpsim_filled<S>::type v) {
    for (int i = 0; i < stored; i++) f.x[i] = v;
}

#undef __warpsim_shapes
#undef __warpsim_layouts
#undef __warpsim_halves_of
#undef __warpsim_whole_product
#undef __warpsim_product
#undef __warpsim_product_begins
#undef __warpsim_product_text
#undef __warpsim_sum
#undef __warpsim_factors
#undef __warpsim_factor
#undef __warpsim_store_text
#undef __warpsim_load_text
#undef __warpsim_fragment_of
#undef __warpsim_stored_as
} // namespace wmma
} // namespace nvcuda
#endif
#endif
