// Arrays, textures and surfaces (CUDA Runtime API reference, version 12, "Memory Management", "Texture Object Management",
// "Surface Object Management"; CUDA C++ Programming Guide, "Texture Functions", "Surface Functions"): of one to three directions,
// and of layers. Cubes, levels, gathering, and views of another format are missing.
#pragma once

// What the texels of a type are: what a lookup gives for each channel, how many there are, and what a channel is.
template <class T> struct __warpsim_texel;
#define __warpsim_texels(T, raw, kind)                                                                                  \
    template <> struct __warpsim_texel<T> {                                                                             \
        typedef raw channel;                                                                                            \
        static constexpr cudaChannelFormatDesc format() { return {8 * (int)sizeof(T), 0, 0, 0, kind}; }                   \
        static __device__ T of(const raw *v) { return (T)v[0]; }                                                        \
    };
#define __warpsim_vectors(T, each, raw, kind)                                                                           \
    template <> struct __warpsim_texel<T##1> {                                                                          \
        typedef raw channel;                                                                                            \
        static constexpr cudaChannelFormatDesc format() { return {8 * (int)sizeof(each), 0, 0, 0, kind}; }                \
        static __device__ T##1 of(const raw *v) { return {(each)v[0]}; }                                                \
    };                                                                                                                  \
    template <> struct __warpsim_texel<T##2> {                                                                          \
        typedef raw channel;                                                                                            \
        static constexpr int bits = 8 * (int)sizeof(each);                                                              \
        static constexpr cudaChannelFormatDesc format() { return {bits, bits, 0, 0, kind}; }                              \
        static __device__ T##2 of(const raw *v) { return {(each)v[0], (each)v[1]}; }                                    \
    };                                                                                                                  \
    template <> struct __warpsim_texel<T##4> {                                                                          \
        typedef raw channel;                                                                                            \
        static constexpr int bits = 8 * (int)sizeof(each);                                                              \
        static constexpr cudaChannelFormatDesc format() { return {bits, bits, bits, bits, kind}; }                        \
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

// Lookups give four channels, of which those count that the texels have.
#define __warpsim_lookup(name, channel, letter, type, geometry, coordinates, parameters, ...)                          \
    __warpsim_device void name(channel *v, cudaTextureObject_t t, parameters) {                                        \
        __asm__ volatile("tex." geometry ".v4." type " {%0, %1, %2, %3}, [%4, " coordinates "];"                       \
                         : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3])                      \
                         : "l"(t), __VA_ARGS__ : "memory");                                                            \
    }
#define __warpsim_and ,
#define __warpsim_lookups(channel, letter, type)                                                                       \
    __warpsim_lookup(__warpsim_fetch_1d, channel, letter, type ".s32", "1d", "{%5}", int x, "r"(x))                    \
    __warpsim_lookup(__warpsim_tex_1d, channel, letter, type ".f32", "1d", "{%5}", float x, "f"(x))                    \
    __warpsim_lookup(__warpsim_tex_2d, channel, letter, type ".f32", "2d", "{%5, %6}",                                 \
                     float x __warpsim_and float y, "f"(x), "f"(y))                                                    \
    __warpsim_lookup(__warpsim_tex_3d, channel, letter, type ".f32", "3d", "{%5, %6, %7, %7}",                         \
                     float x __warpsim_and float y __warpsim_and float z, "f"(x), "f"(y), "f"(z))                      \
    __warpsim_lookup(__warpsim_tex_a1d, channel, letter, type ".f32", "a1d", "{%5, %6}",                               \
                     int layer __warpsim_and float x, "r"(layer), "f"(x))                                              \
    __warpsim_lookup(__warpsim_tex_a2d, channel, letter, type ".f32", "a2d", "{%5, %6, %7, %7}",                       \
                     int layer __warpsim_and float x __warpsim_and float y, "r"(layer), "f"(x), "f"(y))
__warpsim_lookups(float, "f", "f32")
__warpsim_lookups(int, "r", "s32")
__warpsim_lookups(unsigned, "r", "u32")
#undef __warpsim_lookups
#undef __warpsim_lookup
#undef __warpsim_and

#define __warpsim_texture(name, fetch, parameters, ...)                                                                \
    template <class T> __warpsim_device T name parameters {                                                            \
        typename __warpsim_texel<T>::channel v[4];                                                                     \
        fetch(v, __VA_ARGS__);                                                                                         \
        return __warpsim_texel<T>::of(v);                                                                              \
    }
__warpsim_texture(tex1Dfetch, __warpsim_fetch_1d, (cudaTextureObject_t t, int x), t, x)
__warpsim_texture(tex1D, __warpsim_tex_1d, (cudaTextureObject_t t, float x), t, x)
__warpsim_texture(tex2D, __warpsim_tex_2d, (cudaTextureObject_t t, float x, float y), t, x, y)
__warpsim_texture(tex3D, __warpsim_tex_3d, (cudaTextureObject_t t, float x, float y, float z), t, x, y, z)
__warpsim_texture(tex1DLayered, __warpsim_tex_a1d, (cudaTextureObject_t t, float x, int layer), t, layer, x)
__warpsim_texture(tex2DLayered, __warpsim_tex_a2d, (cudaTextureObject_t t, float x, float y, int layer), t, layer, x, y)
#undef __warpsim_texture

// Surfaces hold bytes, which x counts. A texel goes through one register of its size, or through two of 64 bits.
#define __warpsim_one(name, geometry, at, word, held, letter, type, parameters, ...)                                   \
    __warpsim_device void __warpsim_read_##name(word &v, cudaSurfaceObject_t s, int how, parameters) {                 \
        held all = 0;                                                                                                  \
        if (how == cudaBoundaryModeZero)                                                                               \
            __asm__ volatile("suld.b." geometry "." type ".zero {%0}, [%1, " at "];"                                   \
                             : "=" letter(all) : "l"(s), __VA_ARGS__ : "memory");                                      \
        else if (how == cudaBoundaryModeClamp)                                                                         \
            __asm__ volatile("suld.b." geometry "." type ".clamp {%0}, [%1, " at "];"                                  \
                             : "=" letter(all) : "l"(s), __VA_ARGS__ : "memory");                                      \
        else                                                                                                           \
            __asm__ volatile("suld.b." geometry "." type ".trap {%0}, [%1, " at "];"                                   \
                             : "=" letter(all) : "l"(s), __VA_ARGS__ : "memory");                                      \
        v = (word)all;                                                                                                 \
    }                                                                                                                  \
    __warpsim_device void __warpsim_write_##name(word v, cudaSurfaceObject_t s, int how, parameters) {                 \
        held all = v;                                                                                                  \
        if (how == cudaBoundaryModeZero)                                                                               \
            __asm__ volatile("sust.b." geometry "." type ".zero [%0, " at "], {%1};"                                   \
                             : : "l"(s), letter(all), __VA_ARGS__ : "memory");                                         \
        else if (how == cudaBoundaryModeClamp)                                                                         \
            __asm__ volatile("sust.b." geometry "." type ".clamp [%0, " at "], {%1};"                                  \
                             : : "l"(s), letter(all), __VA_ARGS__ : "memory");                                         \
        else                                                                                                           \
            __asm__ volatile("sust.b." geometry "." type ".trap [%0, " at "], {%1};"                                   \
                             : : "l"(s), letter(all), __VA_ARGS__ : "memory");                                         \
    }
#define __warpsim_two(name, geometry, at, parameters, ...)                                                             \
    __warpsim_device void __warpsim_read_##name(ulonglong2 &v, cudaSurfaceObject_t s, int how, parameters) {           \
        if (how == cudaBoundaryModeZero)                                                                               \
            __asm__ volatile("suld.b." geometry ".v2.b64.zero {%0, %1}, [%2, " at "];"                                 \
                             : "=l"(v.x), "=l"(v.y) : "l"(s), __VA_ARGS__ : "memory");                                 \
        else if (how == cudaBoundaryModeClamp)                                                                         \
            __asm__ volatile("suld.b." geometry ".v2.b64.clamp {%0, %1}, [%2, " at "];"                                \
                             : "=l"(v.x), "=l"(v.y) : "l"(s), __VA_ARGS__ : "memory");                                 \
        else                                                                                                           \
            __asm__ volatile("suld.b." geometry ".v2.b64.trap {%0, %1}, [%2, " at "];"                                 \
                             : "=l"(v.x), "=l"(v.y) : "l"(s), __VA_ARGS__ : "memory");                                 \
    }                                                                                                                  \
    __warpsim_device void __warpsim_write_##name(ulonglong2 v, cudaSurfaceObject_t s, int how, parameters) {           \
        if (how == cudaBoundaryModeZero)                                                                               \
            __asm__ volatile("sust.b." geometry ".v2.b64.zero [%2, " at "], {%0, %1};"                                 \
                             : : "l"(v.x), "l"(v.y), "l"(s), __VA_ARGS__ : "memory");                                  \
        else if (how == cudaBoundaryModeClamp)                                                                         \
            __asm__ volatile("sust.b." geometry ".v2.b64.clamp [%2, " at "], {%0, %1};"                                \
                             : : "l"(v.x), "l"(v.y), "l"(s), __VA_ARGS__ : "memory");                                  \
        else                                                                                                           \
            __asm__ volatile("sust.b." geometry ".v2.b64.trap [%2, " at "], {%0, %1};"                                 \
                             : : "l"(v.x), "l"(v.y), "l"(s), __VA_ARGS__ : "memory");                                  \
    }
#define __warpsim_and ,
#define __warpsim_sizes(word, held, letter, type)                                                                      \
    __warpsim_one(1d, "1d", "{%2}", word, held, letter, type, int x, "r"(x))                                           \
    __warpsim_one(2d, "2d", "{%2, %3}", word, held, letter, type, int x __warpsim_and int y, "r"(x), "r"(y))           \
    __warpsim_one(3d, "3d", "{%2, %3, %4, %4}", word, held, letter, type,                                              \
                  int x __warpsim_and int y __warpsim_and int z, "r"(x), "r"(y), "r"(z))
__warpsim_sizes(unsigned char, unsigned short, "h", "b8")
__warpsim_sizes(unsigned short, unsigned short, "h", "b16")
__warpsim_sizes(unsigned, unsigned, "r", "b32")
__warpsim_sizes(unsigned long long, unsigned long long, "l", "b64")
__warpsim_two(1d, "1d", "{%3}", int x, "r"(x))
__warpsim_two(2d, "2d", "{%3, %4}", int x __warpsim_and int y, "r"(x), "r"(y))
__warpsim_two(3d, "3d", "{%3, %4, %5, %5}", int x __warpsim_and int y __warpsim_and int z, "r"(x), "r"(y), "r"(z))
#undef __warpsim_sizes
#undef __warpsim_one
#undef __warpsim_two
#undef __warpsim_and

template <size_t bytes> struct __warpsim_word;
template <> struct __warpsim_word<1> { typedef unsigned char type; };
template <> struct __warpsim_word<2> { typedef unsigned short type; };
template <> struct __warpsim_word<4> { typedef unsigned type; };
template <> struct __warpsim_word<8> { typedef unsigned long long type; };
template <> struct __warpsim_word<16> { typedef ulonglong2 type; };

#define __warpsim_bits(T) typename __warpsim_word<sizeof(T)>::type
#define __warpsim_surface(name, function, parameters, ...)                                                             \
    template <class T>                                                                                                 \
    __warpsim_device T function##read(cudaSurfaceObject_t s, parameters, enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) { \
        __warpsim_bits(T) all;                                                                                         \
        __warpsim_read_##name(all, s, how, __VA_ARGS__);                                                               \
        T v;                                                                                                           \
        __builtin_memcpy(&v, &all, sizeof v);                                                                          \
        return v;                                                                                                      \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    __warpsim_device void function##read(T *to, cudaSurfaceObject_t s, parameters,                                     \
                                         enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {                    \
        *to = function##read<T>(s, __VA_ARGS__, how);                                                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    __warpsim_device void function##write(T v, cudaSurfaceObject_t s, parameters,                                      \
                                          enum cudaSurfaceBoundaryMode how = cudaBoundaryModeTrap) {                   \
        __warpsim_bits(T) all;                                                                                         \
        __builtin_memcpy(&all, &v, sizeof v);                                                                          \
        __warpsim_write_##name(all, s, how, __VA_ARGS__);                                                              \
    }
#define __warpsim_and ,
__warpsim_surface(1d, surf1D, int x, x)
__warpsim_surface(2d, surf2D, int x __warpsim_and int y, x, y)
__warpsim_surface(3d, surf3D, int x __warpsim_and int y __warpsim_and int z, x, y, z)
#undef __warpsim_and
#undef __warpsim_bits
#undef __warpsim_surface
