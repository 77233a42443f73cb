// Barriers in shared memory at which threads arrive and wait apart (CUDA C++ Programming Guide,
// "Asynchronous Barrier", "Memory Barrier Primitives Interface"), by `mbarrier` of sm_80 and later.
// The tests for a time are of sm_90; on sm_80 they test once. For sm_70 and sm_75, where CUDA makes
// barriers of other instructions, there are none.
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_
#pragma GCC system_header
#include "warpsim_cuda.h"

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;
__warpsim_both uint32_t __mbarrier_maximum_count() { return (1 << 20) - 1; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__warpsim_device unsigned __warpsim_at(__mbarrier_t *barrier) {
    return (unsigned)__cvta_generic_to_shared(barrier);
}
__warpsim_device void __mbarrier_init(__mbarrier_t *barrier, uint32_t count) {
    __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;"
                     :
                     : "r"(__warpsim_at(barrier)), "r"(count)
                     : "memory");
}
__warpsim_device void __mbarrier_inval(__mbarrier_t *barrier) {
    __asm__ volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(__warpsim_at(barrier)) : "memory");
}
#define __warpsim_arrive(name, instruction)                                                        \
    __warpsim_device __mbarrier_token_t name(__mbarrier_t *barrier) {                              \
        __mbarrier_token_t token;                                                                  \
        __asm__ volatile(instruction ".shared.b64 %0, [%1];"                                       \
                         : "=l"(token)                                                             \
                         : "r"(__warpsim_at(barrier))                                              \
                         : "memory");                                                              \
        return token;                                                                              \
    }
__warpsim_arrive(__mbarrier_arrive, "mbarrier.arrive")
__warpsim_arrive(__mbarrier_arrive_and_drop, "mbarrier.arrive_drop")
#undef __warpsim_arrive
#define __warpsim_test(name, instruction, T, letter, time, ...)                                    \
    __warpsim_device bool name(__mbarrier_t *barrier, T phase __VA_ARGS__) {                       \
        unsigned is;                                                                               \
        __asm__ volatile("{ .reg .pred is; " instruction ".shared.b64 is, [%1], %2" time           \
                         "; selp.u32 %0, 1, 0, is; }"                                              \
                         : "=r"(is)                                                                \
                         : "r"(__warpsim_at(barrier)), letter(phase) __warpsim_time                \
                         : "memory");                                                              \
        return is;                                                                                 \
    }
#define __warpsim_time
__warpsim_test(__mbarrier_test_wait, "mbarrier.test_wait", __mbarrier_token_t, "l", "")
__warpsim_test(__mbarrier_test_wait_parity, "mbarrier.test_wait.parity", unsigned, "r", "")
#undef __warpsim_time
#define __warpsim_comma ,
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define __warpsim_time , "r"(ns)
__warpsim_test(__mbarrier_try_wait, "mbarrier.try_wait", __mbarrier_token_t, "l", ", %3",
               __warpsim_comma uint32_t ns)
__warpsim_test(__mbarrier_try_wait_parity, "mbarrier.try_wait.parity", unsigned, "r", ", %3",
               __warpsim_comma uint32_t ns)
#undef __warpsim_time
#else
__warpsim_device bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token,
                                          uint32_t) {
    return __mbarrier_test_wait(barrier, token);
}
__warpsim_device bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, unsigned phase, uint32_t) {
    return __mbarrier_test_wait_parity(barrier, phase);
}
#endif
#undef __warpsim_comma
#undef __warpsim_test
__warpsim_device uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
    uint32_t count;
    __asm__ volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}
#endif
#endif
