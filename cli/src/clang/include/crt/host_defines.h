// Qualifiers and attributes (CUDA C++ Programming Guide, "C++ Language Extensions"). Where CUDA is compiled they are
// clang's attributes; elsewhere they stand for nothing, so that a host compiler reads the same declarations.
//
// A managed variable is one of the device whose place at the host is in a section of its own: the runtime
// (<warpsim/managed.h>) keeps both the same. `__cluster_dims__` is missing where CUDA is compiled.
#if !defined(__HOST_DEFINES_H__)
#define __HOST_DEFINES_H__

#define CUDARTAPI
#define CUDARTAPI_CDECL
#if !defined(CUDART_CB)
#define CUDART_CB
#endif

#if defined(__CUDA__) && defined(__clang__)
#define __managed__ __attribute__((device, section("__nv_managed")))
#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
// A word of clang's own from version 15 on.
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#else
#define __annotate__(a)
#define __location__(a)
#define __grid_constant__
#define __managed__
#define __cluster_dims__(...)
#define __block_size__(...)
#endif

#define __host__ __location__(host)
#define __device__ __location__(device)
#define __global__ __location__(global)
#define __shared__ __location__(shared)
#define __constant__ __location__(constant)
#define __launch_bounds__(...) __annotate__(launch_bounds(__VA_ARGS__))
// How many registers a thread may have changes nothing that programs compute.
#define __maxnreg__(n)
#define __local_maxnreg__(n)
#define __nv_pure__ __attribute__((pure))

#define __no_return__ __attribute__((noreturn))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __thread__ __thread
#define __import__
#define __export__
#define __specialization_static
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__

// Features of one architecture (`sm_90a`), and features of a family.
#define __CUDA_ARCH_HAS_FEATURE__(feature) __CUDA_ARCH_FEAT_##feature
#if defined(__CUDA_ARCH_SPECIFIC__)
#define __CUDA_HAS_ARCH_SPECIFIC(n) (__CUDA_ARCH_SPECIFIC__ == (n##0))
#else
#define __CUDA_HAS_ARCH_SPECIFIC(n) 0
#endif
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
#define __CUDA_HAS_ARCH_FAMILY_SPECIFIC(n) (__CUDA_ARCH_FAMILY_SPECIFIC__ == (n##0))
#else
#define __CUDA_HAS_ARCH_FAMILY_SPECIFIC(n) 0
#endif

// How the functions of these headers that both sides have are declared.
#define __warpsim_both static __inline__ __host__ __device__ __attribute__((always_inline))
// Those of the host alone.
#define __warpsim_host static __inline__ __host__

#endif
