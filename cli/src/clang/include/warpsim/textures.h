// Arrays, textures and surfaces (CUDA Runtime API reference, version 12, "Memory Management", "Texture Object Management",
// "Surface Object Management"; CUDA C++ Programming Guide, "Texture Functions", "Surface Functions"): of one to three directions,
// and of layers. Cubes, levels, gathering, and views of another format are missing.
#pragma once

// What the texels of a type are: what a lookup gives for each channel, how many there are, and what a channel is.
template <class T> struct __warpsim_texel;
#define __warpsim_texels(T, raw, kind)                                                                                  \
    template <> struct __warpsim_texel<T> {                                                                             \
        typedef raw channel;                                                                                            \
        static __device__ T of(const raw *v) { return (T)v[0]; }                                                        \
    };
#define __warpsim_vectors(T, each, raw, kind)                                                                           \
    template <> struct __warpsim_texel<T##1> {                                                                          \
        typedef raw channel;                                                                                            \
        static __device__ T##1 of(const raw *v) { return {(each)v[0]}; }                                                \
    };                                                                                                                  \
    template <> struct __warpsim_texel<T##2> {                                                                          \
        typedef raw channel;                                                                                            \
        static __device__ T##2 of(const raw *v) { return {(each)v[0], (each)v[1]}; }                                    \
    };                                                                                                                  \
    template <> struct __warpsim_texel<T##4> {                                                                          \
        typedef raw channel;                                                                                            \
        static __device__ T##4 of(const raw *v) { return {(each)v[0], (each)v[1], (each)v[2], (each)v[3]}; }            \
    };
#define __warpsim_signed cudaChannelFormatKindSigned
#define __warpsim_unsigned cudaChannelFormatKindUnsigned
__warpsim_texels(char, int, __warpsim_signed)
__warpsim_texels(signed char, int, __warpsim_signed)
__warpsim_texels(unsigned char, unsigned, __warpsim_unsigned)
__warpsim_texels(short, int, __warpsim_signed)
__warpsim_texels(unsigned short, unsigned, __warpsim_unsigned)
__warpsim_texels(int, int, __warpsim_signed)
__warpsim_texels(unsigned, unsigned, __warpsim_unsigned)
__warpsim_texels(float, float, cudaChannelFormatKindFloat)
__warpsim_vectors(char, signed char, int, __warpsim_signed)
__warpsim_vectors(uchar, unsigned char, unsigned, __warpsim_unsigned)
__warpsim_vectors(short, short, int, __warpsim_signed)
__warpsim_vectors(ushort, unsigned short, unsigned, __warpsim_unsigned)
__warpsim_vectors(int, int, int, __warpsim_signed)
__warpsim_vectors(uint, unsigned, unsigned, __warpsim_unsigned)
__warpsim_vectors(float, float, float, cudaChannelFormatKindFloat)
#undef __warpsim_texels
#undef __warpsim_vectors

#include "texture_functions.h"
#include "surface_functions.h"
