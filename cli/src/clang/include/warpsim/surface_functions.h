// Reads and writes of surface objects (CUDA C++ Programming Guide, version 12.9, "Surface Object
// API"; PTX ISA, "suld", "sust").
//
// Surfaces hold bytes, which x counts. A texel goes through one register of its size, or through
// two of 64 bits.
#pragma once

// Of each geometry: its parameters, the same as arguments and as operands of an instruction, and
// the instruction's coordinates.
#define __warpsim_surface_parameters_1d int x
#define __warpsim_surface_arguments_1d x
#define __warpsim_surface_operands_1d [x] "r"(x)
#define __warpsim_surface_at_1d "{%[x]}"
#define __warpsim_surface_parameters_2d int x, int y
#define __warpsim_surface_arguments_2d x, y
#define __warpsim_surface_operands_2d [x] "r"(x), [y] "r"(y)
#define __warpsim_surface_at_2d "{%[x], %[y]}"
#define __warpsim_surface_parameters_3d int x, int y, int z
#define __warpsim_surface_arguments_3d x, y, z
#define __warpsim_surface_operands_3d [x] "r"(x), [y] "r"(y), [z] "r"(z)
#define __warpsim_surface_at_3d "{%[x], %[y], %[z], %[z]}"
#define __warpsim_surface_parameters_a1d int x, int layer
#define __warpsim_surface_arguments_a1d x, layer
#define __warpsim_surface_operands_a1d [x] "r"(x), [layer] "r"(layer)
#define __warpsim_surface_at_a1d "{%[layer], %[x]}"
#define __warpsim_surface_parameters_a2d int x, int y, int layer
#define __warpsim_surface_arguments_a2d x, y, layer
#define __warpsim_surface_operands_a2d [x] "r"(x), [y] "r"(y), [layer] "r"(layer)
#define __warpsim_surface_at_a2d "{%[layer], %[x], %[y], %[y]}"

#define __warpsim_load(geometry, type, mode, outside, ...)                                         \
    __asm__ volatile("suld.b." #geometry "." type "." outside " {" mode "}, [%[s], "               \
                     __warpsim_surface_at_##geometry "];"                                          \
                     : __VA_ARGS__ : [s] "l"(s), __warpsim_surface_operands_##geometry : "memory")
#define __warpsim_store(geometry, type, mode, outside, ...)                                        \
    __asm__ volatile("sust.b." #geometry "." type "." outside " [%[s], "                           \
                     __warpsim_surface_at_##geometry "], {" mode "};"                              \
                     : : __VA_ARGS__, [s] "l"(s), __warpsim_surface_operands_##geometry : "memory")
// What becomes of texels outside: as the mode says.
#define __warpsim_outside(access, geometry, type, mode, ...)                                       \
    if (how == cudaBoundaryModeZero)                                                               \
        access(geometry, type, mode, "zero", __VA_ARGS__);                                         \
    else if (how == cudaBoundaryModeClamp)                                                         \
        access(geometry, type, mode, "clamp", __VA_ARGS__);                                        \
    else                                                                                           \
        access(geometry, type, mode, "trap", __VA_ARGS__);

#define __warpsim_one(geometry, word, held, letter, type)                                          \
    __warpsim_device void __warpsim_read_##geometry(word &v, cudaSurfaceObject_t s, int how,       \
                                                    __warpsim_surface_parameters_##geometry) {     \
        held all = 0;                                                                              \
        __warpsim_outside(__warpsim_load, geometry, type, "%0", "=" letter(all))                   \
        v = (word)all;                                                                             \
    }                                                                                              \
    __warpsim_device void __warpsim_write_##geometry(word v, cudaSurfaceObject_t s, int how,       \
                                                     __warpsim_surface_parameters_##geometry) {    \
        held all = v;                                                                              \
        __warpsim_outside(__warpsim_store, geometry, type, "%0", letter(all))                      \
    }
#define __warpsim_sizes(geometry)                                                                  \
    __warpsim_one(geometry, unsigned char, unsigned short, "h", "b8")                              \
    __warpsim_one(geometry, unsigned short, unsigned short, "h", "b16")                            \
    __warpsim_one(geometry, unsigned, unsigned, "r", "b32")                                        \
    __warpsim_one(geometry, unsigned long long, unsigned long long, "l", "b64")                    \
    __warpsim_device void __warpsim_read_##geometry(ulonglong2 &v, cudaSurfaceObject_t s, int how, \
                                                    __warpsim_surface_parameters_##geometry) {     \
        __warpsim_outside(__warpsim_load, geometry, "v2.b64", "%0, %1", "=l"(v.x), "=l"(v.y))      \
    }                                                                                              \
    __warpsim_device void __warpsim_write_##geometry(ulonglong2 v, cudaSurfaceObject_t s, int how, \
                                                     __warpsim_surface_parameters_##geometry) {    \
        __warpsim_outside(__warpsim_store, geometry, "v2.b64", "%0, %1", "l"(v.x), "l"(v.y))       \
    }
__warpsim_sizes(1d)
__warpsim_sizes(2d)
__warpsim_sizes(3d)
__warpsim_sizes(a1d)
__warpsim_sizes(a2d)
#undef __warpsim_sizes
#undef __warpsim_one
#undef __warpsim_outside
#undef __warpsim_store
#undef __warpsim_load

template <size_t bytes> struct __warpsim_word;
template <> struct __warpsim_word<1> { typedef unsigned char type; };
template <> struct __warpsim_word<2> { typedef unsigned short type; };
template <> struct __warpsim_word<4> { typedef unsigned type; };
template <> struct __warpsim_word<8> { typedef unsigned long long type; };
template <> struct __warpsim_word<16> { typedef ulonglong2 type; };

#define __warpsim_surface(name, geometry)                                                          \
    template <class T>                                                                             \
    __warpsim_device T name##read(cudaSurfaceObject_t s, __warpsim_surface_parameters_##geometry,  \
                                  enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {       \
        typename __warpsim_word<sizeof(T)>::type all;                                              \
        __warpsim_read_##geometry(all, s, how, __warpsim_surface_arguments_##geometry);            \
        T v;                                                                                       \
        __builtin_memcpy(&v, &all, sizeof v);                                                      \
        return v;                                                                                  \
    }                                                                                              \
    template <class T>                                                                             \
    __warpsim_device void name##read(T *to, cudaSurfaceObject_t s,                                 \
                                     __warpsim_surface_parameters_##geometry,                      \
                                     enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {    \
        *to = name##read<T>(s, __warpsim_surface_arguments_##geometry, how);                       \
    }                                                                                              \
    template <class T>                                                                             \
    __warpsim_device void name##write(T v, cudaSurfaceObject_t s,                                  \
                                      __warpsim_surface_parameters_##geometry,                     \
                                      enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {   \
        typename __warpsim_word<sizeof(T)>::type all;                                              \
        __builtin_memcpy(&all, &v, sizeof v);                                                      \
        __warpsim_write_##geometry(all, s, how, __warpsim_surface_arguments_##geometry);           \
    }
__warpsim_surface(surf1D, 1d)
__warpsim_surface(surf2D, 2d)
__warpsim_surface(surf3D, 3d)
__warpsim_surface(surf1DLayered, a1d)
__warpsim_surface(surf2DLayered, a2d)
// Of a cube the layer is a face, of layers of cubes six times the layer and the face.
__warpsim_surface(surfCubemap, a2d)
__warpsim_surface(surfCubemapLayered, a2d)
#undef __warpsim_surface
