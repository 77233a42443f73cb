// CUDA's integer intrinsics, min and max, and the SIMD-in-a-word functions.
//
// Document: the CUDA math API ("Integer Intrinsics", "SIMD Intrinsics", "Integer Mathematical Functions"). All are exact.
// min and max are for host and device, the others for the device. Include it before the program's own code; it needs no
// header of the C library, but math_library.h.
#pragma once
#pragma GCC system_header
#include "math_library.h"

// Bits.
__warpsim_device int __popc(unsigned v) { return __builtin_popcount(v); }
__warpsim_device int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
__warpsim_device int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
__warpsim_device int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
__warpsim_device int __ffs(int v) { return __builtin_ffs(v); }
__warpsim_device int __ffsll(long long v) { return __builtin_ffsll(v); }
__warpsim_device unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
__warpsim_device unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
// Bytes of y:x by a selector of four nibbles; bit 3 of one copies the sign of its byte, as prmt does.
__warpsim_device unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned r;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector));
    return r;
}
// Shifts of hi:lo; the amount wraps at 32, with `c` it is at most 32.
#define __warpsim_funnel(name, instruction)                                                        \
    __warpsim_device unsigned name(unsigned lo, unsigned hi, unsigned by) {                        \
        unsigned r;                                                                                \
        __asm__(instruction ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(by));         \
        return r;                                                                                  \
    }
__warpsim_funnel(__funnelshift_l, "shf.l.wrap") __warpsim_funnel(__funnelshift_r, "shf.r.wrap")
__warpsim_funnel(__funnelshift_lc, "shf.l.clamp") __warpsim_funnel(__funnelshift_rc, "shf.r.clamp")

// Products and sums.
__warpsim_device int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
__warpsim_device unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
__warpsim_device long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__warpsim_device unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
__warpsim_device int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
__warpsim_device unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
__warpsim_device unsigned __sad(int a, int b, unsigned c) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
__warpsim_device unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
__warpsim_device int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
__warpsim_device int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
__warpsim_device unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
__warpsim_device unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }

// Dot products of four bytes, and of two 16-bit numbers with two of four bytes.
struct char4;
struct uchar4;
struct short2;
struct ushort2;
#define __warpsim_dot(name, instruction, T, V, W)                                                  \
    __warpsim_device T name(T a, T b, T c) {                                                       \
        T r;                                                                                       \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                \
        return r;                                                                                  \
    }                                                                                              \
    template <class A, class B>                                                                    \
    __warpsim_device typename __warpsim_if<__warpsim_kind<A>::template is<V> && __warpsim_kind<B>::template is<W>, T>::type name(A a, B b, T c) { \
        return name(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);                        \
    }
__warpsim_dot(__dp4a, "dp4a.s32.s32", int, char4, char4)
__warpsim_dot(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4)
__warpsim_dot(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
__warpsim_dot(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, ushort2, uchar4)
__warpsim_dot(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
__warpsim_dot(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, ushort2, uchar4)

// min and max, of two types as the usual conversions make one.
#define __warpsim_min_max(T, A, B)                                                                 \
    __warpsim_both constexpr T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }                 \
    __warpsim_both constexpr T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
__warpsim_min_max(int, int, int)
__warpsim_min_max(unsigned, unsigned, unsigned)
__warpsim_min_max(unsigned, int, unsigned)
__warpsim_min_max(unsigned, unsigned, int)
__warpsim_min_max(long, long, long)
__warpsim_min_max(unsigned long, unsigned long, unsigned long)
__warpsim_min_max(unsigned long, long, unsigned long)
__warpsim_min_max(unsigned long, unsigned long, long)
__warpsim_min_max(long long, long long, long long)
__warpsim_min_max(unsigned long long, unsigned long long, unsigned long long)
__warpsim_min_max(unsigned long long, long long, unsigned long long)
__warpsim_min_max(unsigned long long, unsigned long long, long long)
#define __warpsim_float_min_max(T, A, B, suffix)                                                   \
    __warpsim_both T min(A a, B b) { return __builtin_fmin##suffix(a, b); }                        \
    __warpsim_both T max(A a, B b) { return __builtin_fmax##suffix(a, b); }
__warpsim_float_min_max(float, float, float, f)
__warpsim_float_min_max(double, double, double, )
__warpsim_float_min_max(double, float, double, )
__warpsim_float_min_max(double, double, float, )
__warpsim_both unsigned umin(unsigned a, unsigned b) { return min(a, b); }
__warpsim_both unsigned umax(unsigned a, unsigned b) { return max(a, b); }
__warpsim_both long long llmin(long long a, long long b) { return min(a, b); }
__warpsim_both long long llmax(long long a, long long b) { return max(a, b); }
__warpsim_both unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
__warpsim_both unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// Two halves, or four bytes, of a word at once. `x` and `y` are the lanes, as int; only the lane's bits of the result count.
#define __warpsim_lanes(name, T, bits, expression)                                                 \
    __warpsim_device unsigned name(unsigned a, unsigned b) {                                       \
        unsigned r = 0;                                                                            \
        _Pragma("unroll") for (int i = 0; i < 32; i += bits) {                                     \
            int x = (T)(a >> i), y = (T)(b >> i);                                                  \
            r |= ((unsigned)(expression) & ((1u << bits) - 1)) << i;                               \
        }                                                                                          \
        return r;                                                                                  \
    }
#define __warpsim_lane(name, T, bits, expression)                                                  \
    __warpsim_device unsigned name(unsigned a) {                                                   \
        unsigned r = 0;                                                                            \
        _Pragma("unroll") for (int i = 0; i < 32; i += bits) {                                     \
            int x = (T)(a >> i);                                                                   \
            r |= ((unsigned)(expression) & ((1u << bits) - 1)) << i;                               \
        }                                                                                          \
        return r;                                                                                  \
    }
#define __warpsim_lane_sum(name, T, bits, expression)                                              \
    __warpsim_device unsigned name(unsigned a, unsigned b) {                                       \
        unsigned r = 0;                                                                            \
        _Pragma("unroll") for (int i = 0; i < 32; i += bits) {                                     \
            int x = (T)(a >> i), y = (T)(b >> i);                                                  \
            r += (unsigned)(expression);                                                           \
        }                                                                                          \
        return r;                                                                                  \
    }
// `v` between the ends of a lane.
__warpsim_device int __warpsim_clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
#define __warpsim_compare_lanes(name, n, S, U, bits, yes)                                          \
    __warpsim_lanes(name##eq##n, U, bits, x == y ? yes : 0)                                        \
    __warpsim_lanes(name##ne##n, U, bits, x != y ? yes : 0)                                        \
    __warpsim_lanes(name##ges##n, S, bits, x >= y ? yes : 0)                                       \
    __warpsim_lanes(name##geu##n, U, bits, x >= y ? yes : 0)                                       \
    __warpsim_lanes(name##gts##n, S, bits, x > y ? yes : 0)                                        \
    __warpsim_lanes(name##gtu##n, U, bits, x > y ? yes : 0)                                        \
    __warpsim_lanes(name##les##n, S, bits, x <= y ? yes : 0)                                       \
    __warpsim_lanes(name##leu##n, U, bits, x <= y ? yes : 0)                                       \
    __warpsim_lanes(name##lts##n, S, bits, x < y ? yes : 0)                                        \
    __warpsim_lanes(name##ltu##n, U, bits, x < y ? yes : 0)
#define __warpsim_video(n, S, U, bits)                                                             \
    __warpsim_lanes(__vadd##n, U, bits, x + y)                                                     \
    __warpsim_lanes(__vsub##n, U, bits, x - y)                                                     \
    __warpsim_lanes(__vaddss##n, S, bits, __warpsim_clamp(x + y, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
    __warpsim_lanes(__vsubss##n, S, bits, __warpsim_clamp(x - y, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
    __warpsim_lanes(__vaddus##n, U, bits, __warpsim_clamp(x + y, 0, (1 << bits) - 1))              \
    __warpsim_lanes(__vsubus##n, U, bits, __warpsim_clamp(x - y, 0, (1 << bits) - 1))              \
    __warpsim_lane(__vabs##n, S, bits, x < 0 ? -x : x)                                             \
    __warpsim_lane(__vneg##n, S, bits, -x)                                                         \
    __warpsim_lane(__vabsss##n, S, bits, __warpsim_clamp(x < 0 ? -x : x, 0, (1 << (bits - 1)) - 1)) \
    __warpsim_lane(__vnegss##n, S, bits, __warpsim_clamp(-x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
    __warpsim_lanes(__vabsdiffs##n, S, bits, x > y ? x - y : y - x)                                \
    __warpsim_lanes(__vabsdiffu##n, U, bits, x > y ? x - y : y - x)                                \
    __warpsim_lanes(__vavgs##n, S, bits, (x + y + (x + y >= 0)) >> 1)                              \
    __warpsim_lanes(__vavgu##n, U, bits, (x + y + 1) >> 1)                                         \
    __warpsim_lanes(__vhaddu##n, U, bits, (x + y) >> 1)                                            \
    __warpsim_lanes(__vmaxs##n, S, bits, x > y ? x : y)                                            \
    __warpsim_lanes(__vmaxu##n, U, bits, x > y ? x : y)                                            \
    __warpsim_lanes(__vmins##n, S, bits, x < y ? x : y)                                            \
    __warpsim_lanes(__vminu##n, U, bits, x < y ? x : y)                                            \
    __warpsim_lane_sum(__vsads##n, S, bits, x > y ? x - y : y - x)                                 \
    __warpsim_lane_sum(__vsadu##n, U, bits, x > y ? x - y : y - x)                                 \
    __warpsim_compare_lanes(__vcmp, n, S, U, bits, -1)                                             \
    __warpsim_compare_lanes(__vset, n, S, U, bits, 1)
__warpsim_video(2, short, unsigned short, 16)
__warpsim_video(4, signed char, unsigned char, 8)
