// Managed variables (CUDA C++ Programming Guide, "Managed Memory"): the runtime is told in which memory of the
// host they lie, before it is told of the variables themselves.
//
// Deviation: an address of one that the host stores in other memory is not one of the device. As an argument of a
// kernel, and in calls of the runtime, it is.
#pragma once
#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
extern "C" {
extern char __start___nv_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop___nv_managed[] __attribute__((weak, visibility("hidden")));
cudaError_t __cudaRegisterHostSection(unsigned long long, unsigned long long);
}
// Objects register variables without a priority, and so behind this.
static __attribute__((constructor(101))) void __warpsim_register_managed() {
    if (__start___nv_managed)
        __cudaRegisterHostSection((unsigned long long)__start___nv_managed,
                                  (unsigned long long)__stop___nv_managed);
}
#endif
