// What groups of threads of one warp need: lanes, shuffles of any type, and matches of any type
// (CUDA C++ Programming Guide, "Warp Shuffle Functions", "Warp Match Functions"; PTX ISA, "fns").
#pragma once
#ifdef __CUDACC_RTC__
#include "rtc.h"
#else
#include "../../warpsim_cuda.h"
// As `__warpsim_device`, for members of classes.
#define __warpsim_member __device__ __inline__ __attribute__((always_inline, nodebug))
#endif
#include "traits.h"

namespace cooperative_groups {
namespace __v1 {
namespace __warpsim {

// Bytes from one object to another, and the lowest of lanes, of which there is one.
#ifdef __CUDACC_RTC__
__warpsim_device void copy_bytes(void *to, const void *from, unsigned bytes) {
    memcpy(to, from, bytes);
}
__warpsim_device unsigned first_of(unsigned lanes) { return __clz(__brev(lanes)); }
#else
__warpsim_device void copy_bytes(void *to, const void *from, unsigned bytes) {
    __builtin_memcpy(to, from, bytes);
}
__warpsim_device unsigned first_of(unsigned lanes) { return __builtin_ctz(lanes); }
#endif

__warpsim_device unsigned lane() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__warpsim_device unsigned lanes_below() { return (1u << lane()) - 1; }

// The lane of the n-th of these lanes, where n counts from 0; all ones where there are not so many.
__warpsim_device unsigned nth(unsigned lanes, unsigned n) {
    unsigned lane;
    asm("fns.b32 %0, %1, 0, %2;" : "=r"(lane) : "r"(lanes), "r"((int)n + 1));
    return lane;
}

// Which of a group's threads are among `found`, by their ranks.
__warpsim_device unsigned ranks(unsigned lanes, unsigned found) {
    if (lanes == 0xffffffff) return found;
    unsigned packed = 0;
    for (unsigned rest = lanes, rank = 0; rest != 0; rest &= rest - 1, ++rank)
        packed |= (found >> first_of(rest) & 1) << rank;
    return packed;
}

// A shuffle of four bytes after four bytes.
#define __warpsim_shuffle_any(mode)                                                                \
    template <class T>                                                                             \
    __warpsim_device T shuffle_##mode(unsigned lanes, T v, unsigned by, unsigned width = 32) {     \
        static_assert(__is_trivially_copyable(T), "what is shuffled is trivially copyable");       \
        static_assert(sizeof(T) <= 32, "what is shuffled has at most 32 bytes");                   \
        constexpr unsigned words = (sizeof(T) + 3) / 4;                                            \
        constexpr unsigned last = sizeof #mode == sizeof "up" ? 0 : 31;                            \
        unsigned word[words] = {};                                                                 \
        copy_bytes((void *)word, (const void *)&v, sizeof(T));                                     \
        _Pragma("unroll") for (unsigned i = 0; i < words; ++i) word[i] =                           \
            __warpsim_shuffle_##mode(lanes, word[i], by, (32 - width) << 8 | last);                \
        copy_bytes((void *)&v, (const void *)word, sizeof(T));                                     \
        return v;                                                                                  \
    }
__warpsim_shuffle_any(idx) __warpsim_shuffle_any(up) __warpsim_shuffle_any(down)
    __warpsim_shuffle_any(bfly)
#undef __warpsim_shuffle_any

    // Values match by their bits.
    template <class T>
    __warpsim_device unsigned long long bits(T v) {
    static_assert(__is_trivially_copyable(T) && sizeof(T) <= 8,
                  "what is matched has at most 8 bytes");
    unsigned long long bits = 0;
    copy_bytes((void *)&bits, (const void *)&v, sizeof(T));
    return bits;
}
template <class T> __warpsim_device unsigned match_any(unsigned lanes, T v) {
    return sizeof(T) > 4 ? __match_any_sync(lanes, bits(v))
                         : __match_any_sync(lanes, (unsigned)bits(v));
}
template <class T> __warpsim_device unsigned match_all(unsigned lanes, T v, int &p) {
    return sizeof(T) > 4 ? __match_all_sync(lanes, bits(v), &p)
                         : __match_all_sync(lanes, (unsigned)bits(v), &p);
}

} // namespace __warpsim
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
