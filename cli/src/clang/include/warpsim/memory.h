// Loads and stores with a cache operator, address spaces, copies that threads need not wait for (CUDA C++ Programming Guide,
// "Read-Only Data Cache Load Function", "Load/Store Functions Using Cache Hints", "Address Space Predicate Functions",
// "Address Space Conversion Functions", "Asynchronous Data Copies using cuda::pipeline" for its primitives).
#pragma once

#define __warpsim_loads(T, type, letter)                                                           \
    __warpsim_load(T, __ldg, "global.nc", type, letter)                                            \
    __warpsim_load(T, __ldca, "global.ca", type, letter)                                           \
    __warpsim_load(T, __ldcg, "global.cg", type, letter)                                           \
    __warpsim_load(T, __ldcs, "global.cs", type, letter)                                           \
    __warpsim_load(T, __ldlu, "global.lu", type, letter)                                           \
    __warpsim_load(T, __ldcv, "global.cv", type, letter)                                           \
    __warpsim_store(T, __stwb, "global.wb", type, letter)                                          \
    __warpsim_store(T, __stcg, "global.cg", type, letter)                                          \
    __warpsim_store(T, __stcs, "global.cs", type, letter)                                          \
    __warpsim_store(T, __stwt, "global.wt", type, letter)
#define __warpsim_load(T, name, how, type, letter)                                                 \
    __warpsim_device T name(const T *p) {                                                          \
        T v;                                                                                       \
        __asm__ volatile("ld." how "." type " %0, [%1];" : "=" letter(v) : "l"(p) : "memory");     \
        return v;                                                                                  \
    }
#define __warpsim_store(T, name, how, type, letter)                                                \
    __warpsim_device void name(T *p, T v) {                                                        \
        __asm__ volatile("st." how "." type " [%0], %1;" : : "l"(p), letter(v) : "memory");        \
    }
__warpsim_loads(short, "s16", "h")
__warpsim_loads(unsigned short, "u16", "h")
__warpsim_loads(int, "s32", "r")
__warpsim_loads(unsigned, "u32", "r")
__warpsim_loads(long, "s64", "l")
__warpsim_loads(unsigned long, "u64", "l")
__warpsim_loads(long long, "s64", "l")
__warpsim_loads(unsigned long long, "u64", "l")
__warpsim_loads(float, "f32", "f")
__warpsim_loads(double, "f64", "d")
#undef __warpsim_loads
#undef __warpsim_load
#undef __warpsim_store

// Bytes go through a 16-bit register, vectors through one instruction.
#define __warpsim_narrow(T, type)                                                                  \
    __warpsim_device T __ldg(const T *p) {                                                         \
        unsigned short v;                                                                          \
        __asm__ volatile("ld.global.nc." type " %0, [%1];" : "=h"(v) : "l"(p) : "memory");         \
        return (T)v;                                                                               \
    }
__warpsim_narrow(char, "s8")
__warpsim_narrow(signed char, "s8")
__warpsim_narrow(unsigned char, "u8")
#undef __warpsim_narrow
#define __warpsim_vector(T, type, letter)                                                          \
    __warpsim_device T##2 __ldg(const T##2 *p) {                                                   \
        T##2 v;                                                                                    \
        __asm__ volatile("ld.global.nc.v2." type " {%0, %1}, [%2];"                                \
                         : "=" letter(v.x), "=" letter(v.y) : "l"(p) : "memory");                  \
        return v;                                                                                  \
    }
#define __warpsim_vector4(T, type, letter)                                                         \
    __warpsim_device T##4 __ldg(const T##4 *p) {                                                   \
        T##4 v;                                                                                    \
        __asm__ volatile("ld.global.nc.v4." type " {%0, %1, %2, %3}, [%4];"                        \
                         : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)      \
                         : "l"(p) : "memory");                                                     \
        return v;                                                                                  \
    }
__warpsim_vector(int, "s32", "r")
__warpsim_vector4(int, "s32", "r")
__warpsim_vector(uint, "u32", "r")
__warpsim_vector4(uint, "u32", "r")
__warpsim_vector(float, "f32", "f")
__warpsim_vector4(float, "f32", "f")
__warpsim_vector(double, "f64", "d")
__warpsim_vector(longlong, "s64", "l")
__warpsim_vector(ulonglong, "u64", "l")
#undef __warpsim_vector
#undef __warpsim_vector4

// Which space an address is in.
#define __warpsim_space(name, space)                                                               \
    __warpsim_device unsigned __is##name(const void *p) {                                          \
        unsigned is;                                                                               \
        __asm__("{ .reg .pred is; isspacep." #space " is, %1; selp.u32 %0, 1, 0, is; }"            \
                : "=r"(is) : "l"(p));                                                              \
        return is;                                                                                 \
    }                                                                                              \
    __warpsim_device size_t __cvta_generic_to_##space(const void *p) {                             \
        size_t address;                                                                            \
        __asm__("cvta.to." #space ".u64 %0, %1;" : "=l"(address) : "l"(p));                        \
        return address;                                                                            \
    }                                                                                              \
    __warpsim_device void *__cvta_##space##_to_generic(size_t address) {                           \
        void *p;                                                                                   \
        __asm__("cvta." #space ".u64 %0, %1;" : "=l"(p) : "l"(address));                           \
        return p;                                                                                  \
    }
__warpsim_space(Global, global)
__warpsim_space(Shared, shared)
__warpsim_space(Local, local)
__warpsim_space(Constant, const)
#undef __warpsim_space

// Copies from global to shared memory that go on beside the thread. The last bytes may be zeros.
#define __warpsim_copy(cache, bytes)                                                               \
    __asm__ volatile("cp.async." cache ".shared.global [%0], [%1], %2, %3;"                        \
                     : : "r"(at), "l"(from), "n"(bytes), "r"((unsigned)(bytes - zeros)) : "memory")
__warpsim_device void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    switch (bytes) {
    case 4: __warpsim_copy("ca", 4); break;
    case 8: __warpsim_copy("ca", 8); break;
    case 16: __warpsim_copy("cg", 16); break;
    default: __builtin_trap();
    }
}
#undef __warpsim_copy
__warpsim_device void __pipeline_commit() { __asm__ volatile("cp.async.commit_group;" : : : "memory"); }
#define __pipeline_wait_prior(n) __asm__ volatile("cp.async.wait_group %0;" : : "n"(n) : "memory")
