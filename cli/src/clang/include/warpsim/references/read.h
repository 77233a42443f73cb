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

// Of each kind: the parameters behind the reference, and the same as arguments; of each way to choose a level the further ones.
#define __warpsim_in_1D float x
#define __warpsim_by_1D x
#define __warpsim_in_2D float x, float y
#define __warpsim_by_2D x, y
#define __warpsim_in_3D float x, float y, float z
#define __warpsim_by_3D x, y, z
#define __warpsim_in_1DLayered float x, int layer
#define __warpsim_by_1DLayered x, layer
#define __warpsim_in_2DLayered float x, float y, int layer
#define __warpsim_by_2DLayered x, y, layer
#define __warpsim_in_Cubemap __warpsim_in_3D
#define __warpsim_by_Cubemap __warpsim_by_3D
#define __warpsim_in_CubemapLayered float x, float y, float z, int layer
#define __warpsim_by_CubemapLayered x, y, z, layer
#define __warpsim_in_
#define __warpsim_by_
#define __warpsim_in_Lod , float level
#define __warpsim_by_Lod , level
#define __warpsim_in_Grad1 , float dx, float dy
#define __warpsim_by_Grad1 , dx, dy
#define __warpsim_in_Grad2 , float2 dx, float2 dy
#define __warpsim_by_Grad2 , dx, dy
#define __warpsim_in_Grad3 , float4 dx, float4 dy
#define __warpsim_by_Grad3 , dx, dy

// The function of an object is declared before that of a reference calls it.
#define __warpsim_texture(name, kind, way)                                                                                \
    template <class T> __warpsim_device T name(cudaTextureObject_t, __warpsim_in_##kind __warpsim_in_##way);              \
    template <class T, enum cudaTextureReadMode mode>                                                                     \
    __warpsim_device typename __warpsim_looked<T, mode>::type name(texture<T, cudaTextureType##kind, mode> t,             \
                                                                   __warpsim_in_##kind __warpsim_in_##way) {              \
        return name<typename __warpsim_looked<T, mode>::type>((cudaTextureObject_t)__warpsim_bound(t),                    \
                                                              __warpsim_by_##kind __warpsim_by_##way);                    \
    }
#define __warpsim_levels(name, kind, gradient)                                                                            \
    __warpsim_texture(name, kind, )                                                                                       \
    __warpsim_texture(name##Lod, kind, Lod)                                                                               \
    __warpsim_texture(name##Grad, kind, gradient)
__warpsim_levels(tex1D, 1D, Grad1)
__warpsim_levels(tex2D, 2D, Grad2)
__warpsim_levels(tex3D, 3D, Grad3)
__warpsim_levels(tex1DLayered, 1DLayered, Grad1)
__warpsim_levels(tex2DLayered, 2DLayered, Grad2)
__warpsim_levels(texCubemap, Cubemap, Grad3)
__warpsim_levels(texCubemapLayered, CubemapLayered, Grad3)
template <class T, enum cudaTextureReadMode mode>
__warpsim_device typename __warpsim_looked<T, mode>::type tex1Dfetch(texture<T, cudaTextureType1D, mode> t, int x) {
    return tex1Dfetch<typename __warpsim_looked<T, mode>::type>((cudaTextureObject_t)__warpsim_bound(t), x);
}
#undef __warpsim_levels
#undef __warpsim_texture
#undef __warpsim_in_1D
#undef __warpsim_by_1D
#undef __warpsim_in_2D
#undef __warpsim_by_2D
#undef __warpsim_in_3D
#undef __warpsim_by_3D
#undef __warpsim_in_1DLayered
#undef __warpsim_by_1DLayered
#undef __warpsim_in_2DLayered
#undef __warpsim_by_2DLayered
#undef __warpsim_in_Cubemap
#undef __warpsim_by_Cubemap
#undef __warpsim_in_CubemapLayered
#undef __warpsim_by_CubemapLayered
#undef __warpsim_in_
#undef __warpsim_by_
#undef __warpsim_in_Lod
#undef __warpsim_by_Lod
#undef __warpsim_in_Grad1
#undef __warpsim_by_Grad1
#undef __warpsim_in_Grad2
#undef __warpsim_by_Grad2
#undef __warpsim_in_Grad3
#undef __warpsim_by_Grad3

#define __warpsim_and ,
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
