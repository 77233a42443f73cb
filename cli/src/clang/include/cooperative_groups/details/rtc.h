// What NVRTC lacks of the names that these headers use. Programs give the headers to NVRTC, too,
// which has CUDA's language built in and knows nothing of clang.
#pragma once

#define __warpsim_device static __device__ __forceinline__
#define __warpsim_member __device__ __forceinline__

// Shuffles of four bytes (PTX ISA, "shfl.sync").
#define __warpsim_shuffle_word(mode)                                                               \
    __warpsim_device unsigned __warpsim_shuffle_##mode(unsigned lanes, unsigned word, unsigned by, \
                                                       unsigned bounds) {                          \
        unsigned got;                                                                              \
        asm volatile("shfl.sync." #mode ".b32 %0, %1, %2, %3, %4;"                                 \
                     : "=r"(got)                                                                   \
                     : "r"(word), "r"(by), "r"(bounds), "r"(lanes));                               \
        return got;                                                                                \
    }
__warpsim_shuffle_word(idx)
__warpsim_shuffle_word(up)
__warpsim_shuffle_word(down)
__warpsim_shuffle_word(bfly)
#undef __warpsim_shuffle_word
