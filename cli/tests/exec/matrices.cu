// `nvcuda::wmma` of the headers: each type and shape, against the product computed on the host from its definition. The numbers are
// small whole ones, so that every sum is exact in every format.
#include <mma.h>
#include <cstdio>
#include <cstdlib>
using namespace nvcuda;

template <class Layout> struct By { static constexpr bool rows = false; static constexpr wmma::layout_t layout = wmma::mem_col_major; };
template <> struct By<wmma::row_major> { static constexpr bool rows = true; static constexpr wmma::layout_t layout = wmma::mem_row_major; };

template <int m, int n, int k, class T, class P, class C, class D, class A, class B>
__global__ void multiply(const P *a, const P *b, const C *c, D *d) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, A> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, B> fb;
    wmma::fragment<wmma::accumulator, m, n, k, C> fc;
    wmma::fragment<wmma::accumulator, m, n, k, D> fd;
    wmma::load_matrix_sync(fa, a, By<A>::rows ? k : m);
    wmma::load_matrix_sync(fb, b, By<B>::rows ? n : k);
    wmma::load_matrix_sync(fc, c, By<A>::rows ? n : m, By<A>::layout);
    wmma::mma_sync(fd, fa, fb, fc);
    // Each element of the sum, and one more.
    for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] + D(1);
    wmma::store_matrix_sync(d, fd, By<B>::rows ? n : m, By<B>::layout);
}
static long wrong = 0, results = 0;
// A number of 4 bits or 1 is in a part of a byte, the first in the lowest bits.
template <class P, int bits> static int get(const P *p, int i, bool is_signed) {
    if (bits >= 8) return (int)(float)p[i];
    int v = ((const unsigned char *)p)[i * bits / 8] >> i * bits % 8 & ((1 << bits) - 1);
    return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}
template <class P> static P *made(int count) {
    P *p;
    cudaMallocManaged(&p, count * sizeof(P));
    for (int i = 0; i < count; i++) p[i] = P((rand() >> 8) % 7 - ((P)-1 < (P)0 ? 3 : 0));
    return p;
}
template <class A, class B, int bits, class P, class C, class D>
static void compare(const char *name, int m, int n, int k, const P *a, const P *b, const C *c, const D *d, int more, bool is_signed) {
    long before = wrong;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int want = (int)(float)c[By<A>::rows ? i * n + j : j * m + i] + more;
            for (int l = 0; l < k; l++)
                want += get<P, bits>(a, By<A>::rows ? i * k + l : l * m + i, is_signed) * get<P, bits>(b, By<B>::rows ? l * n + j : j * k + l, is_signed);
            results++;
            wrong += want != (int)(float)d[By<B>::rows ? i * n + j : j * m + i];
        }
    if (wrong > before) printf("%s m%dn%dk%d: %ld wrong\n", name, m, n, k, wrong - before);
}
template <int m, int n, int k, class T, class P, class C, class D, class A, class B, int bits = 8> static void one(const char *name, bool is_signed) {
    P *a = made<P>(m * k), *b = made<P>(k * n);
    C *c = made<C>(m * n);
    D *d = made<D>(m * n);
    if (bits < 8)
        for (size_t i = 0; i < m * k * sizeof(P); i++) ((unsigned char *)a)[i] = (unsigned char)(rand() >> 8), ((unsigned char *)b)[i] = (unsigned char)(rand() >> 8);
    multiply<m, n, k, T, P, C, D, A, B><<<1, 32>>>(a, b, c, d);
    if (cudaDeviceSynchronize() != cudaSuccess) exit(2);
    compare<A, B, bits>(name, m, n, k, a, b, c, d, 1, is_signed);
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}
template <int m, int n, int k, class T, class P, class C, class D> static void layouts(const char *name) {
    one<m, n, k, T, P, C, D, wmma::row_major, wmma::row_major>(name, true);
    one<m, n, k, T, P, C, D, wmma::row_major, wmma::col_major>(name, true);
    one<m, n, k, T, P, C, D, wmma::col_major, wmma::row_major>(name, true);
    one<m, n, k, T, P, C, D, wmma::col_major, wmma::col_major>(name, true);
}
template <class T, class C, class D> static void shapes(const char *name) {
    layouts<16, 16, 16, T, T, C, D>(name);
    layouts<8, 32, 16, T, T, C, D>(name);
    layouts<32, 8, 16, T, T, C, D>(name);
}
__global__ void bits(const unsigned *a, const unsigned *b, int *d, int *e) {
    wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> c, f;
    wmma::fill_fragment(c, 5);
    wmma::load_matrix_sync(fa, a, 128);
    wmma::load_matrix_sync(fb, b, 128);
    wmma::bmma_sync(f, fa, fb, c);
    wmma::store_matrix_sync(d, f, 8, wmma::mem_row_major);
    wmma::bmma_sync(f, fa, fb, c, wmma::experimental::bmmaBitOpAND);
    wmma::store_matrix_sync(e, f, 8, wmma::mem_row_major);
}
__global__ void more(float *f, int *s) {
    f[0] = wmma::__float_to_tf32(1.00048828125f);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> c, d;
    wmma::fill_fragment(a, 2);
    wmma::fill_fragment(b, 3);
    wmma::fill_fragment(c, 0x7ffffff0);
    wmma::mma_sync(d, a, b, c, true);
    wmma::store_matrix_sync(s, d, 16, wmma::mem_row_major);
}

int main() {
    shapes<__half, __half, __half>("half, sums of half");
    shapes<__half, float, float>("half, sums of float");
    shapes<__half, float, __half>("half, from float to half");
    shapes<__half, __half, float>("half, from half to float");
    shapes<__nv_bfloat16, float, float>("bfloat16");
    shapes<signed char, int, int>("signed bytes");
    shapes<unsigned char, int, int>("unsigned bytes");
    layouts<16, 16, 8, wmma::precision::tf32, float, float, float>("tf32");
    layouts<8, 8, 4, double, double, double, double>("double");
    one<8, 8, 32, wmma::experimental::precision::s4, unsigned, int, int, wmma::row_major, wmma::col_major, 4>("signed nibbles", true);
    one<8, 8, 32, wmma::experimental::precision::u4, unsigned, int, int, wmma::row_major, wmma::col_major, 4>("unsigned nibbles", false);
    unsigned *a = made<unsigned>(32), *b = made<unsigned>(32);
    int *d = made<int>(256), *e = made<int>(64);
    for (int i = 0; i < 32; i++) a[i] = rand() * 3u, b[i] = rand() * 5u;
    bits<<<1, 32>>>(a, b, d, e);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    for (int i = 0; i < 64; i++) {
        int differ = 5, both = 5;
        for (int w = 0; w < 4; w++) {
            differ += __builtin_popcount(a[i / 8 * 4 + w] ^ b[i % 8 * 4 + w]);
            both += __builtin_popcount(a[i / 8 * 4 + w] & b[i % 8 * 4 + w]);
        }
        results += 2;
        wrong += (d[i] != differ) + (e[i] != both);
    }
    float *f = made<float>(1);
    more<<<1, 32>>>(f, d);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    results += 2;
    // Half a step of ten bits goes away from zero.
    wrong += f[0] != 1.0009765625f;
    wrong += d[0] != 0x7fffffff;
    printf("%ld of %ld results are wrong\n", wrong, results);
    return wrong != 0;
}
