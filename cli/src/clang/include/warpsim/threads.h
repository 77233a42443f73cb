// What threads of a block and of a warp do together (CUDA C++ Programming Guide, "Memory Fence Functions", "Synchronization
// Functions", "Warp Vote", "Warp Match", "Warp Reduce", "Warp Shuffle", "Nanosleep", "Time Function", "Profiler Counter
// Function", "Assume").
#pragma once

// Everything here is volatile assembly that clobbers memory, and not one of clang's own functions: LLVM 14 believes that those
// write no variable whose address nobody takes, and moves loads over barriers. Being assembly of device code, it is also
// convergent: it is not moved to where other threads of the warp take part.
#define __warpsim_opaque(name, parameters, text, ...)                                              \
    __warpsim_device void name parameters { __asm__ volatile(text : : __VA_ARGS__ : "memory"); }

// Barriers and fences. `__syncthreads` is a name that clang has taken, so that a macro leads to this one.
__warpsim_opaque(__warpsim_syncthreads, (), "bar.sync 0;", )
#define __syncthreads __warpsim_syncthreads
__warpsim_opaque(__warpsim_bar_sync, (unsigned id), "bar.sync %0;", "r"(id))
__warpsim_opaque(__barrier_sync, (unsigned id), "barrier.sync %0;", "r"(id))
__warpsim_opaque(__barrier_sync_count, (unsigned id, unsigned threads), "barrier.sync %0, %1;", "r"(id), "r"(threads))
__warpsim_opaque(__syncwarp, (unsigned mask = 0xffffffff), "bar.warp.sync %0;", "r"(mask))
__warpsim_opaque(__threadfence_block, (), "membar.cta;", )
__warpsim_opaque(__threadfence, (), "membar.gl;", )
__warpsim_opaque(__threadfence_system, (), "membar.sys;", )
__warpsim_device int __syncthreads_count(int p) {
    int all;
    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(all) : "r"(p) : "memory");
    return all;
}
#define __warpsim_red(name, operation)                                                             \
    __warpsim_device int name(int p) {                                                             \
        int all;                                                                                   \
        __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." operation ".pred q, 0, p; " \
                         "selp.s32 %0, 1, 0, q; }"                                                 \
                         : "=r"(all) : "r"(p) : "memory");                                         \
        return all;                                                                                \
    }
__warpsim_red(__syncthreads_and, "and")
__warpsim_red(__syncthreads_or, "or")
#undef __warpsim_red

// Votes, matches and reductions of a warp.
__warpsim_device unsigned __activemask() {
    unsigned mask;
    __asm__ volatile("activemask.b32 %0;" : "=r"(mask) : : "memory");
    return mask;
}
#define __warpsim_vote(name, mode)                                                                 \
    __warpsim_device int name(unsigned mask, int p) {                                              \
        int all;                                                                                   \
        __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." mode ".pred q, p, %2; " \
                         "selp.s32 %0, 1, 0, q; }"                                                 \
                         : "=r"(all) : "r"(p), "r"(mask) : "memory");                              \
        return all;                                                                                \
    }
__warpsim_vote(__all_sync, "all")
__warpsim_vote(__any_sync, "any")
__warpsim_vote(__uni_sync, "uni")
#undef __warpsim_vote
__warpsim_device unsigned __ballot_sync(unsigned mask, int p) {
    unsigned all;
    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                     : "=r"(all) : "r"(p), "r"(mask) : "memory");
    return all;
}

#define __warpsim_match(T, bits, letter)                                                           \
    __warpsim_device unsigned __match_any_sync(unsigned mask, T v) {                               \
        unsigned same;                                                                             \
        __asm__ volatile("match.any.sync.b" #bits " %0, %1, %2;"                                   \
                         : "=r"(same) : letter((uint##bits##_t)v), "r"(mask) : "memory");          \
        return same;                                                                               \
    }                                                                                              \
    __warpsim_device unsigned __match_all_sync(unsigned mask, T v, int *p) {                       \
        unsigned same;                                                                             \
        int all;                                                                                   \
        __asm__ volatile("{ .reg .pred all; match.all.sync.b" #bits " %0|all, %2, %3; "            \
                         "selp.s32 %1, 1, 0, all; }"                                               \
                         : "=r"(same), "=r"(all) : letter((uint##bits##_t)v), "r"(mask) : "memory"); \
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
        __asm__ volatile("redux.sync." operation " %0, %1, %2;"                                    \
                         : "=r"(all) : "r"(v), "r"(mask) : "memory");                              \
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
// The position of a set bit of the mask: the `offset`-th one from `base` on, or before it; all ones if there is none.
__warpsim_device unsigned __fns(unsigned mask, unsigned base, int offset) {
    unsigned position;
    __asm__("fns.b32 %0, %1, %2, %3;" : "=r"(position) : "r"(mask), "r"(base), "r"(offset));
    return position;
}

// Shuffles. Eight bytes go in two halves.
#define __warpsim_shuffle(name, mode, Extra, last)                                                 \
    __warpsim_device unsigned __warpsim_shuffle_##mode(unsigned mask, unsigned v, unsigned by, unsigned limit) { \
        unsigned got;                                                                              \
        __asm__ volatile("shfl.sync." #mode ".b32 %0, %1, %2, %3, %4;"                             \
                         : "=r"(got) : "r"(v), "r"(by), "r"(limit), "r"(mask) : "memory");         \
        return got;                                                                                \
    }                                                                                              \
    __warpsim_device unsigned name(unsigned mask, unsigned v, Extra by, int width = 32) {            \
        return __warpsim_shuffle_##mode(mask, v, by, ((32 - width) << 8) | (last));                \
    }                                                                                              \
    __warpsim_device int name(unsigned mask, int v, Extra by, int width = 32) {                      \
        return (int)name(mask, (unsigned)v, by, width);                                            \
    }                                                                                              \
    __warpsim_device float name(unsigned mask, float v, Extra by, int width = 32) {                  \
        return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(unsigned, v), by, width));  \
    }                                                                                              \
    __warpsim_device unsigned long long name(unsigned mask, unsigned long long v, Extra by, int width = 32) { \
        unsigned low = name(mask, (unsigned)v, by, width);                                         \
        unsigned high = name(mask, (unsigned)(v >> 32), by, width);                                \
        return (unsigned long long)high << 32 | low;                                               \
    }                                                                                              \
    __warpsim_device long long name(unsigned mask, long long v, Extra by, int width = 32) {          \
        return (long long)name(mask, (unsigned long long)v, by, width);                            \
    }                                                                                              \
    __warpsim_device unsigned long name(unsigned mask, unsigned long v, Extra by, int width = 32) {  \
        return (unsigned long)name(mask, (unsigned long long)v, by, width);                        \
    }                                                                                              \
    __warpsim_device long name(unsigned mask, long v, Extra by, int width = 32) {                    \
        return (long)name(mask, (unsigned long long)v, by, width);                                 \
    }                                                                                              \
    __warpsim_device double name(unsigned mask, double v, Extra by, int width = 32) {                \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, v);                       \
        return __builtin_bit_cast(double, name(mask, bits, by, width));                            \
    }
__warpsim_shuffle(__shfl_sync, idx, int, 31)
__warpsim_shuffle(__shfl_up_sync, up, unsigned, 0)
__warpsim_shuffle(__shfl_down_sync, down, unsigned, 31)
__warpsim_shuffle(__shfl_xor_sync, bfly, int, 31)
#undef __warpsim_shuffle

// Time, and giving up.
__warpsim_device long long clock64() {
    long long now;
    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(now) : : "memory");
    return now;
}
__warpsim_device clock_t clock() {
    int now;
    __asm__ volatile("mov.u32 %0, %%clock;" : "=r"(now) : : "memory");
    return now;
}
__warpsim_opaque(__nanosleep, (unsigned ns), "nanosleep.u32 %0;", "r"(ns))
__warpsim_opaque(__trap, (), "trap;", )
__warpsim_opaque(__brkpt, (), "brkpt;", )
#undef __warpsim_opaque

// Events and counters of a profiler: an event does nothing here, and a counter stays at 0.
#define __prof_trigger(event) ({ __asm__ volatile("pmevent %0;" : : "n"(event) : "memory"); })
#define __warpsim_counter(n)                                                                       \
    __warpsim_device unsigned __pm##n() {                                                          \
        unsigned count;                                                                            \
        __asm__ volatile("mov.u32 %0, %%pm" #n ";" : "=r"(count));                                 \
        return count;                                                                              \
    }
__warpsim_counter(0) __warpsim_counter(1) __warpsim_counter(2) __warpsim_counter(3)
#undef __warpsim_counter

// What the compiler may take for granted.
#ifndef __assume
#define __assume(condition) __builtin_assume(condition)
#endif

// clang's own names of these, for programs that use them.
#define __nvvm_bar_sync __warpsim_bar_sync
#define __nvvm_bar0_popc __syncthreads_count
#define __nvvm_bar0_and __syncthreads_and
#define __nvvm_bar0_or __syncthreads_or
#define __nvvm_barrier_sync __barrier_sync
#define __nvvm_barrier_sync_cnt __barrier_sync_count
#define __nvvm_bar_warp_sync __syncwarp
#define __nvvm_membar_cta __threadfence_block
#define __nvvm_membar_gl __threadfence
#define __nvvm_membar_sys __threadfence_system
#define __nvvm_vote_all_sync __all_sync
#define __nvvm_vote_any_sync __any_sync
#define __nvvm_vote_uni_sync __uni_sync
#define __nvvm_vote_ballot_sync __ballot_sync
#define __nvvm_shfl_sync_idx_i32 __warpsim_shuffle_idx
#define __nvvm_shfl_sync_up_i32 __warpsim_shuffle_up
#define __nvvm_shfl_sync_down_i32 __warpsim_shuffle_down
#define __nvvm_shfl_sync_bfly_i32 __warpsim_shuffle_bfly
