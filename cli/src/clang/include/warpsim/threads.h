// What threads of a block and of a warp do together (CUDA C++ Programming Guide, "Memory Fence Functions", "Synchronization
// Functions", "Warp Vote", "Warp Match", "Warp Reduce", "Warp Shuffle", "Nanosleep", "Time Function").
#pragma once

// Barriers and fences. (`__syncthreads()` itself is clang's.)
__warpsim_device void __barrier_sync(unsigned id) { __asm__ volatile("barrier.sync %0;" : : "r"(id) : "memory"); }
__warpsim_device void __barrier_sync_count(unsigned id, unsigned threads) {
    __asm__ volatile("barrier.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}
__warpsim_device int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__warpsim_device int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__warpsim_device int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__warpsim_device void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
__warpsim_device void __threadfence_block() { __nvvm_membar_cta(); }
__warpsim_device void __threadfence() { __nvvm_membar_gl(); }
__warpsim_device void __threadfence_system() { __nvvm_membar_sys(); }

// Votes, matches and reductions of a warp.
__warpsim_device unsigned __activemask() {
    unsigned mask;
    __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
__warpsim_device int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
__warpsim_device int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
__warpsim_device int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
__warpsim_device unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }

#define __warpsim_match(T, bits, letter)                                                           \
    __warpsim_device unsigned __match_any_sync(unsigned mask, T v) {                               \
        unsigned same;                                                                             \
        __asm__ volatile("match.any.sync.b" #bits " %0, %1, %2;"                                   \
                         : "=r"(same) : letter((uint##bits##_t)v), "r"(mask));                     \
        return same;                                                                               \
    }                                                                                              \
    __warpsim_device unsigned __match_all_sync(unsigned mask, T v, int *p) {                       \
        unsigned same;                                                                             \
        int all;                                                                                   \
        __asm__ volatile("{ .reg .pred all; match.all.sync.b" #bits " %0|all, %2, %3; "            \
                         "selp.s32 %1, 1, 0, all; }"                                               \
                         : "=r"(same), "=r"(all) : letter((uint##bits##_t)v), "r"(mask));          \
        *p = all;                                                                                  \
        return same;                                                                               \
    }
__warpsim_match(int, 32, "r")
__warpsim_match(unsigned, 32, "r")
__warpsim_match(long, 64, "l")
__warpsim_match(unsigned long, 64, "l")
__warpsim_match(long long, 64, "l")
__warpsim_match(unsigned long long, 64, "l")
#undef __warpsim_match
__warpsim_device unsigned __match_any_sync(unsigned mask, float v) {
    return __match_any_sync(mask, __builtin_bit_cast(unsigned, v));
}
__warpsim_device unsigned __match_any_sync(unsigned mask, double v) {
    return __match_any_sync(mask, __builtin_bit_cast(unsigned long long, v));
}
__warpsim_device unsigned __match_all_sync(unsigned mask, float v, int *p) {
    return __match_all_sync(mask, __builtin_bit_cast(unsigned, v), p);
}
__warpsim_device unsigned __match_all_sync(unsigned mask, double v, int *p) {
    return __match_all_sync(mask, __builtin_bit_cast(unsigned long long, v), p);
}

#define __warpsim_redux(T, name, operation)                                                        \
    __warpsim_device T name(unsigned mask, T v) {                                                  \
        T all;                                                                                     \
        __asm__ volatile("redux.sync." operation " %0, %1, %2;" : "=r"(all) : "r"(v), "r"(mask));  \
        return all;                                                                                \
    }
__warpsim_redux(int, __reduce_add_sync, "add.s32")
__warpsim_redux(unsigned, __reduce_add_sync, "add.u32")
__warpsim_redux(int, __reduce_min_sync, "min.s32")
__warpsim_redux(unsigned, __reduce_min_sync, "min.u32")
__warpsim_redux(int, __reduce_max_sync, "max.s32")
__warpsim_redux(unsigned, __reduce_max_sync, "max.u32")
__warpsim_redux(unsigned, __reduce_and_sync, "and.b32")
__warpsim_redux(unsigned, __reduce_or_sync, "or.b32")
__warpsim_redux(unsigned, __reduce_xor_sync, "xor.b32")
#undef __warpsim_redux

// Shuffles. Eight bytes go in two halves.
#define __warpsim_shuffle(name, mode, last)                                                        \
    __warpsim_device unsigned name(unsigned mask, unsigned v, int by, int width = 32) {            \
        unsigned got;                                                                              \
        __asm__ volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                              \
                         : "=r"(got) : "r"(v), "r"(by), "r"(((32 - width) << 8) | (last)), "r"(mask)); \
        return got;                                                                                \
    }                                                                                              \
    __warpsim_device int name(unsigned mask, int v, int by, int width = 32) {                      \
        return (int)name(mask, (unsigned)v, by, width);                                            \
    }                                                                                              \
    __warpsim_device float name(unsigned mask, float v, int by, int width = 32) {                  \
        return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(unsigned, v), by, width));  \
    }                                                                                              \
    __warpsim_device unsigned long long name(unsigned mask, unsigned long long v, int by, int width = 32) { \
        unsigned low = name(mask, (unsigned)v, by, width);                                         \
        unsigned high = name(mask, (unsigned)(v >> 32), by, width);                                \
        return (unsigned long long)high << 32 | low;                                               \
    }                                                                                              \
    __warpsim_device long long name(unsigned mask, long long v, int by, int width = 32) {          \
        return (long long)name(mask, (unsigned long long)v, by, width);                            \
    }                                                                                              \
    __warpsim_device unsigned long name(unsigned mask, unsigned long v, int by, int width = 32) {  \
        return (unsigned long)name(mask, (unsigned long long)v, by, width);                        \
    }                                                                                              \
    __warpsim_device long name(unsigned mask, long v, int by, int width = 32) {                    \
        return (long)name(mask, (unsigned long long)v, by, width);                                 \
    }                                                                                              \
    __warpsim_device double name(unsigned mask, double v, int by, int width = 32) {                \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, v);                       \
        return __builtin_bit_cast(double, name(mask, bits, by, width));                            \
    }
__warpsim_shuffle(__shfl_sync, "idx", 31)
__warpsim_shuffle(__shfl_up_sync, "up", 0)
__warpsim_shuffle(__shfl_down_sync, "down", 31)
__warpsim_shuffle(__shfl_xor_sync, "bfly", 31)
#undef __warpsim_shuffle

// Time, and giving up.
__warpsim_device long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
__warpsim_device int clock() { return (int)__nvvm_read_ptx_sreg_clock(); }
__warpsim_device unsigned long long __globaltimer() {
    unsigned long long now;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
__warpsim_device void __nanosleep(unsigned ns) { __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns)); }
__warpsim_device void __trap() { __asm__ volatile("trap;"); }
__warpsim_device void __brkpt() { __asm__ volatile("brkpt;"); }
