// Kernels that start kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Device-side Launch from PTX").
//
// clang refuses `kernel<<<grid, block, shared, stream>>>(arguments)` in device code. The copies of sources that the
// compiler mends have `__warpsim_kernel<decltype(kernel), kernel>::with(grid, block, shared, stream)(arguments)` there.
#pragma once

extern "C" __device__ void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block,
                                                     unsigned shared);
extern "C" __device__ cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream);

#if __cplusplus >= 201103L
template <class F, F *kernel> struct __warpsim_kernel;
template <class... P, void (*kernel)(P...)> struct __warpsim_kernel<void(P...), kernel> {
    // In the value of a variable clang takes a kernel's address on the device, too.
    static __device__ void (*const address)(P...);

    struct Launch {
        dim3 grid, block;
        unsigned shared;
        cudaStream_t stream;

        // Puts a parameter where it has its alignment.
        template <class T> static __device__ char *put(char *to, size_t &at, const T &value) {
            at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
            __builtin_memcpy(to + at, (const void *)__builtin_addressof(value), sizeof(T));
            at += sizeof(T);
            return to;
        }
        __device__ void operator()(P... all) const {
            char *to = (char *)cudaGetParameterBufferV2((void *)address, grid, block, shared);
            if (!to) return;
            size_t at = 0;
            char *each[] = {to, put(to, at, all)...};
            (void)each, (void)at;
            cudaLaunchDeviceV2(to, stream);
        }
    };
    static __device__ Launch with(dim3 grid, dim3 block, size_t shared = 0,
                                  cudaStream_t stream = 0) {
        return Launch{grid, block, (unsigned)shared, stream};
    }
};
template <class... P, void (*kernel)(P...)>
__device__ void (*const __warpsim_kernel<void(P...), kernel>::address)(P...) = kernel;
#endif
