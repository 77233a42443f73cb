// `nvcuda::experimental::pipeline`, the class over the functions of cuda_pipeline_primitives.h
// (CUDA C++ Programming Guide of CUDA 11, "Asynchronously Copy Data from Global to Shared Memory").
// What is not trivially copied is assigned.
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_
#pragma GCC system_header
#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

namespace nvcuda {
namespace experimental {

class pipeline {
    size_t batches = 0;

  public:
    pipeline() = default;
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    // The number of the group that ends here.
    __device__ __forceinline__ size_t commit() {
        __pipeline_commit();
        return batches++;
    }
    __device__ __forceinline__ void commit_and_wait() {
        commit();
        wait_prior<0>();
    }
    __device__ __forceinline__ void wait(size_t batch) {
        __pipeline_wait_prior(batches > batch ? batches - batch - 1 : 0);
    }
    template <unsigned n> __device__ __forceinline__ void wait_prior() { __pipeline_wait_prior(n); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    __device__ __forceinline__ void arrive_on(awbarrier &barrier) {
        __pipeline_arrive_on(&barrier.__warpsim_object);
    }
#endif
};

// In steps of 16, 8 or 4 bytes, as the type is aligned; what is smaller is copied at once.
template <class T> __warpsim_device void memcpy_async(T &to, const T &from, pipeline &) {
    constexpr size_t step = alignof(T) >= 16 ? 16 : alignof(T);
    if constexpr (__is_trivially_copyable(T) && step >= 4) {
        for (size_t i = 0; i < sizeof(T); i += step)
            __pipeline_memcpy_async((char *)&to + i, (const char *)&from + i, step);
    } else {
        to = from;
    }
}
// Of arrays; what the source lacks becomes 0.
template <class T, size_t to_count, size_t from_count>
__warpsim_device void memcpy_async(T (*to)[to_count], const T (*from)[from_count], pipeline &pipe) {
    for (size_t i = 0; i < to_count; i++) {
        if (i < from_count)
            memcpy_async((*to)[i], (*from)[i], pipe);
        else
            (*to)[i] = T();
    }
}
template <size_t n, class T> __warpsim_device auto segment(T *p) -> T (*)[n] { return (T(*)[n])p; }

} // namespace experimental
} // namespace nvcuda
#endif
