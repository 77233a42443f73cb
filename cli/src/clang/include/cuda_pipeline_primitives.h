// Copies from global to shared memory that a thread need not wait for (CUDA C++ Programming Guide,
// "Asynchronous Data Copies", "Pipeline Primitives Interface"), by `cp.async` of sm_80. Below, the
// copy is made at once, as there.
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_
#pragma GCC system_header
#include "cuda_awbarrier_primitives.h"

// 4, 8 or 16 bytes, of which the last `zeros` are not read and become 0.
#define __warpsim_copy(cache, bytes)                                                               \
    __asm__ volatile("cp.async." cache ".shared.global [%0], [%1], %2, %3;"                        \
                     :                                                                             \
                     : "r"(at), "l"(from), "n"(bytes), "r"((unsigned)(bytes - zeros))              \
                     : "memory")
__warpsim_device void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                              size_t zeros = 0) {
    if (zeros > bytes) __builtin_trap();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    switch (bytes) {
    case 4:
        __warpsim_copy("ca", 4);
        break;
    case 8:
        __warpsim_copy("ca", 8);
        break;
    case 16:
        __warpsim_copy("cg", 16);
        break;
    default:
        __builtin_trap();
    }
#else
    if (bytes != 4 && bytes != 8 && bytes != 16) __builtin_trap();
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = i < bytes - zeros ? ((const char *)from)[i] : 0;
#endif
}
#undef __warpsim_copy
__warpsim_device void __pipeline_commit() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    __asm__ volatile("cp.async.commit_group;" : : : "memory");
#endif
}
// Waits for all groups but the last `prior` ones; of more than 8, for all but the last 8.
__warpsim_device void __pipeline_wait_prior(size_t prior) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __warpsim_wait(n)                                                                          \
    case n:                                                                                        \
        __asm__ volatile("cp.async.wait_group %0;" : : "n"(n) : "memory");                         \
        break;
    switch (prior) {
        __warpsim_wait(0)
        __warpsim_wait(1)
        __warpsim_wait(2)
        __warpsim_wait(3)
        __warpsim_wait(4)
        __warpsim_wait(5)
        __warpsim_wait(6)
        __warpsim_wait(7)
    default:
        __asm__ volatile("cp.async.wait_group 8;" : : : "memory");
    }
#undef __warpsim_wait
#endif
}
// The barrier's phase ends no earlier than the copies begun so far; the arrival is counted beside
// those that it was made for.
__warpsim_device void __pipeline_arrive_on(__mbarrier_t *barrier) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    __asm__ volatile("cp.async.mbarrier.arrive.shared.b64 [%0];"
                     :
                     : "r"((unsigned)__cvta_generic_to_shared(barrier))
                     : "memory");
#endif
}
#endif
