// What kernels read and write by references (CUDA C++ Programming Guide, version 11.8, "Texture Reference API", "Surface
// Reference API"): as by the object that the reference is bound to.
#pragma once

// The 64 bits of a reference. The compiler gives the address of its variable for its value.
template <class R> __warpsim_device unsigned long long __warpsim_bound(R reference) {
    unsigned long long variable, object;
    __asm__("mov.b64 %0, %1;" : "=l"(variable) : "l"(reference));
    __asm__ volatile("ld.global.b64 %0, [%1];" : "=l"(object) : "l"(variable) : "memory");
    return object;
}

// What a lookup gives: the texel, or a number of float for each of its channels.
template <class T, enum cudaTextureReadMode mode> struct __warpsim_looked { typedef T type; };
#define __warpsim_normalized(T, floats)                                                                                   \
    template <> struct __warpsim_looked<T, cudaReadModeNormalizedFloat> { typedef floats type; };
#define __warpsim_vectors(T)                                                                                              \
    __warpsim_normalized(T##1, float1)                                                                                    \
    __warpsim_normalized(T##2, float2)                                                                                    \
    __warpsim_normalized(T##4, float4)
__warpsim_normalized(char, float)
__warpsim_normalized(signed char, float)
__warpsim_normalized(unsigned char, float)
__warpsim_normalized(short, float)
__warpsim_normalized(unsigned short, float)
__warpsim_vectors(char)
__warpsim_vectors(uchar)
__warpsim_vectors(short)
__warpsim_vectors(ushort)
#undef __warpsim_normalized
#undef __warpsim_vectors

#define __warpsim_and ,
#define __warpsim_texture(name, kind, parameters, ...)                                                                    \
    template <class T, enum cudaTextureReadMode mode>                                                                     \
    __warpsim_device typename __warpsim_looked<T, mode>::type name(texture<T, cudaTextureType##kind, mode> t, parameters) { \
        return name<typename __warpsim_looked<T, mode>::type>((cudaTextureObject_t)__warpsim_bound(t), __VA_ARGS__);      \
    }
__warpsim_texture(tex1Dfetch, 1D, int x, x)
__warpsim_texture(tex1D, 1D, float x, x)
__warpsim_texture(tex2D, 2D, float x __warpsim_and float y, x, y)
__warpsim_texture(tex3D, 3D, float x __warpsim_and float y __warpsim_and float z, x, y, z)
__warpsim_texture(tex1DLayered, 1DLayered, float x __warpsim_and int layer, x, layer)
__warpsim_texture(tex2DLayered, 2DLayered, float x __warpsim_and float y __warpsim_and int layer, x, y, layer)
#undef __warpsim_texture

#define __warpsim_surface(name, kind, parameters, ...)                                                                    \
    template <class T, class S>                                                                                           \
    __warpsim_device T name##read(surface<S, cudaSurfaceType##kind> s, parameters,                                        \
                                  enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {                              \
        return name##read<T>((cudaSurfaceObject_t)__warpsim_bound(s), __VA_ARGS__, how);                                  \
    }                                                                                                                     \
    template <class T, class S>                                                                                           \
    __warpsim_device void name##read(T *to, surface<S, cudaSurfaceType##kind> s, parameters,                              \
                                     enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {                           \
        *to = name##read<T>((cudaSurfaceObject_t)__warpsim_bound(s), __VA_ARGS__, how);                                   \
    }                                                                                                                     \
    template <class T, class S>                                                                                           \
    __warpsim_device void name##write(T v, surface<S, cudaSurfaceType##kind> s, parameters,                               \
                                      enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {                          \
        name##write(v, (cudaSurfaceObject_t)__warpsim_bound(s), __VA_ARGS__, how);                                        \
    }
__warpsim_surface(surf1D, 1D, int x, x)
__warpsim_surface(surf2D, 2D, int x __warpsim_and int y, x, y)
__warpsim_surface(surf3D, 3D, int x __warpsim_and int y __warpsim_and int z, x, y, z)
#undef __warpsim_surface
#undef __warpsim_and
