// Warp functions without a mask (CUDA C++ Programming Guide, "Warp Vote Functions" and "Warp
// Shuffle Functions" of CUDA 8).
//
// Below sm_70 they go on to be; from there on a call is an error of the compiler, as with CUDA 12.
// The lanes that take part are those that execute the instruction together.
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 700
#define __warpsim_vote(name, mode)                                                                 \
    __warpsim_device int name(int p) {                                                             \
        int all;                                                                                   \
        __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote." mode                     \
                         ".pred q, p; selp.s32 %0, 1, 0, q; }"                                     \
                         : "=r"(all)                                                               \
                         : "r"(p)                                                                  \
                         : "memory");                                                              \
        return all;                                                                                \
    }
__warpsim_vote(__all, "all")
__warpsim_vote(__any, "any")
#undef __warpsim_vote
__warpsim_device unsigned __ballot(int p) {
    unsigned all;
    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.ballot.b32 %0, p; }"
                     : "=r"(all)
                     : "r"(p)
                     : "memory");
    return all;
}

template <class T> struct __warpsim_shuffled_words {
    unsigned words[sizeof(T) / 4];
};
#define __warpsim_of_type(T, name, mode, Extra)                                                    \
    __warpsim_device T name(T v, Extra by, int width = 32) {                                       \
        return __warpsim_shuffle_all_##mode(v, by, width);                                         \
    }
#define __warpsim_shuffle(name, mode, Extra, last)                                                 \
    template <class T>                                                                             \
    __warpsim_device T __warpsim_shuffle_all_##mode(T v, unsigned by, int width) {                 \
        __warpsim_shuffled_words<T> all = __builtin_bit_cast(__warpsim_shuffled_words<T>, v);      \
        for (unsigned &word : all.words)                                                           \
            __asm__ volatile("shfl." #mode ".b32 %0, %1, %2, %3;"                                  \
                             : "=r"(word)                                                          \
                             : "r"(word), "r"(by), "r"(((32 - width) << 8) | (last))               \
                             : "memory");                                                          \
        return __builtin_bit_cast(T, all);                                                         \
    }                                                                                              \
    __warpsim_of_type(int, name, mode, Extra)                                                      \
    __warpsim_of_type(unsigned, name, mode, Extra)                                                 \
    __warpsim_of_type(long, name, mode, Extra)                                                     \
    __warpsim_of_type(unsigned long, name, mode, Extra)                                            \
    __warpsim_of_type(long long, name, mode, Extra)                                                \
    __warpsim_of_type(unsigned long long, name, mode, Extra)                                       \
    __warpsim_of_type(float, name, mode, Extra)                                                    \
    __warpsim_of_type(double, name, mode, Extra)
__warpsim_shuffle(__shfl, idx, int, 31)
__warpsim_shuffle(__shfl_up, up, unsigned, 0)
__warpsim_shuffle(__shfl_down, down, unsigned, 31)
__warpsim_shuffle(__shfl_xor, bfly, int, 31)
#undef __warpsim_shuffle
#undef __warpsim_of_type
#endif
