// What a launch `<<<...>>>` becomes: the compiler looks these functions up by their names, before those may be macros. Those of
// the launch without the stream of the thread have their names in each program.
#pragma once
#include "c.h"
__warpsim_begin_c
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
__warpsim_end_c
#if defined(__CUDA__) && defined(__clang__)
extern "C" {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
unsigned __warpsim_push(dim3, dim3, size_t, cudaStream_t) __asm__("__cudaPushCallConfiguration");
// Where a launch names no stream, it goes to that of the thread.
__warpsim_host unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
    return __warpsim_push(grid, block, shared, stream ? stream : cudaStreamPerThread);
}
#else
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
#endif
}
#endif
