// `nvcuda::experimental::awbarrier`, the class over the functions of cuda_awbarrier_primitives.h
// (CUDA C++ Programming Guide of CUDA 11, "Asynchronous Barrier"), for sm_80 and later.
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_
#pragma GCC system_header
#include "cuda_awbarrier_primitives.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
namespace nvcuda {
namespace experimental {

class awbarrier {
  public:
    __mbarrier_t __warpsim_object;
    class arrival_token {
        __mbarrier_token_t token;
        friend awbarrier;

      public:
        arrival_token() = default;
        __device__ __forceinline__ explicit arrival_token(__mbarrier_token_t token)
            : token(token) {}
        __device__ __forceinline__ uint32_t pending_count() const {
            return __mbarrier_token_pending_count(token);
        }
    };
    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;
    __device__ __forceinline__ arrival_token arrive() {
        return arrival_token(__mbarrier_arrive(&__warpsim_object));
    }
    __device__ __forceinline__ arrival_token arrive_and_drop() {
        return arrival_token(__mbarrier_arrive_and_drop(&__warpsim_object));
    }
    __device__ __forceinline__ void wait(arrival_token token) {
        while (!__mbarrier_test_wait(&__warpsim_object, token.token)) {
        }
    }
    __device__ __forceinline__ void arrive_and_wait() { wait(arrive()); }
    // For so many cycles at most.
    __device__ __forceinline__ bool timed_wait(arrival_token token, uint32_t cycles) {
        for (long long begin = clock64(); !__mbarrier_test_wait(&__warpsim_object, token.token);)
            if (clock64() - begin > cycles) return false;
        return true;
    }
    __device__ __forceinline__ bool timed_wait_parity(bool phase, uint32_t cycles) {
        for (long long begin = clock64(); !__mbarrier_test_wait_parity(&__warpsim_object, phase);)
            if (clock64() - begin > cycles) return false;
        return true;
    }
    __device__ __forceinline__ bool try_wait(arrival_token token, uint32_t ns) {
        return __mbarrier_try_wait(&__warpsim_object, token.token, ns);
    }
    __device__ __forceinline__ bool try_wait_parity(bool phase, uint32_t ns) {
        return __mbarrier_try_wait_parity(&__warpsim_object, phase, ns);
    }
    __host__ __device__ static constexpr uint32_t max() { return (1 << 20) - 1; }
};
__warpsim_device void init(awbarrier *barrier, uint32_t count) {
    __mbarrier_init(&barrier->__warpsim_object, count);
}
__warpsim_device void inval(awbarrier *barrier) { __mbarrier_inval(&barrier->__warpsim_object); }

} // namespace experimental
} // namespace nvcuda
#endif
#endif
