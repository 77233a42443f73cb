// Lookups of texture objects (CUDA C++ Programming Guide, version 12.9, "Texture Object API"; PTX
// ISA, "tex", "tld4").
//
// Each gives its value, or puts it where its first argument says. Those that have a `bool *` tell
// there whether the texels are resident. Gradients of cubes are declared; the simulator says that
// it has none.
#pragma once

// Of each geometry: its parameters, the same as arguments and as operands of an instruction, and
// the instruction's coordinates.
#define __warpsim_parameters_1d float x
#define __warpsim_arguments_1d x
#define __warpsim_operands_1d [x] "f"(x)
#define __warpsim_at_1d "{%[x]}"
#define __warpsim_parameters_2d float x, float y
#define __warpsim_arguments_2d x, y
#define __warpsim_operands_2d [x] "f"(x), [y] "f"(y)
#define __warpsim_at_2d "{%[x], %[y]}"
#define __warpsim_parameters_3d float x, float y, float z
#define __warpsim_arguments_3d x, y, z
#define __warpsim_operands_3d [x] "f"(x), [y] "f"(y), [z] "f"(z)
#define __warpsim_at_3d "{%[x], %[y], %[z], %[z]}"
#define __warpsim_parameters_a1d float x, int layer
#define __warpsim_arguments_a1d x, layer
#define __warpsim_operands_a1d [x] "f"(x), [layer] "r"(layer)
#define __warpsim_at_a1d "{%[layer], %[x]}"
#define __warpsim_parameters_a2d float x, float y, int layer
#define __warpsim_arguments_a2d x, y, layer
#define __warpsim_operands_a2d [x] "f"(x), [y] "f"(y), [layer] "r"(layer)
#define __warpsim_at_a2d "{%[layer], %[x], %[y], %[y]}"
#define __warpsim_parameters_cube __warpsim_parameters_3d
#define __warpsim_arguments_cube __warpsim_arguments_3d
#define __warpsim_operands_cube __warpsim_operands_3d
#define __warpsim_at_cube __warpsim_at_3d
#define __warpsim_parameters_acube float x, float y, float z, int layer
#define __warpsim_arguments_acube x, y, z, layer
#define __warpsim_operands_acube [x] "f"(x), [y] "f"(y), [z] "f"(z), [layer] "r"(layer)
#define __warpsim_at_acube "{%[layer], %[x], %[y], %[z]}"

// How the level is chosen, by the same: the base level, one that is given, one by gradients of one
// to three directions.
#define __warpsim_mode_base ""
#define __warpsim_parameters_base
#define __warpsim_arguments_base
#define __warpsim_operands_base
#define __warpsim_behind_base ""
#define __warpsim_mode_level ".level"
#define __warpsim_parameters_level , float level
#define __warpsim_arguments_level , level
#define __warpsim_operands_level , [level] "f"(level)
#define __warpsim_behind_level ", %[level]"
#define __warpsim_mode_grad1 ".grad"
#define __warpsim_parameters_grad1 , float dPdx, float dPdy
#define __warpsim_arguments_grad1 , dPdx, dPdy
#define __warpsim_operands_grad1 , [dx] "f"(dPdx), [dy] "f"(dPdy)
#define __warpsim_behind_grad1 ", {%[dx]}, {%[dy]}"
#define __warpsim_mode_grad2 ".grad"
#define __warpsim_parameters_grad2 , float2 dPdx, float2 dPdy
#define __warpsim_arguments_grad2 , dPdx, dPdy
#define __warpsim_operands_grad2                                                                   \
    , [xx] "f"(dPdx.x), [xy] "f"(dPdx.y), [yx] "f"(dPdy.x), [yy] "f"(dPdy.y)
#define __warpsim_behind_grad2 ", {%[xx], %[xy]}, {%[yx], %[yy]}"
#define __warpsim_mode_grad3 ".grad"
#define __warpsim_parameters_grad3 , float4 dPdx, float4 dPdy
#define __warpsim_arguments_grad3 , dPdx, dPdy
#define __warpsim_operands_grad3                                                                   \
    , [xx] "f"(dPdx.x), [xy] "f"(dPdx.y), [xz] "f"(dPdx.z), [yx] "f"(dPdy.x), [yy] "f"(dPdy.y),    \
        [yz] "f"(dPdy.z)
#define __warpsim_behind_grad3 ", {%[xx], %[xy], %[xz], %[xz]}, {%[yx], %[yy], %[yz], %[yz]}"

// Lookups give four channels, of which those count that the texels have.
#define __warpsim_outputs(letter)                                                                  \
    "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3])
#define __warpsim_sample(channel, letter, type, geometry, mode)                                    \
    __warpsim_device void __warpsim_tex_##geometry##_##mode(                                       \
        channel *v, cudaTextureObject_t t,                                                         \
        __warpsim_parameters_##geometry __warpsim_parameters_##mode) {                             \
        __asm__ volatile("tex" __warpsim_mode_##mode "." #geometry ".v4." type ".f32 "             \
                         "{%0, %1, %2, %3}, "                                                      \
                         "[%[t], " __warpsim_at_##geometry "]" __warpsim_behind_##mode ";"         \
                         : __warpsim_outputs(letter)                                               \
                         : [t] "l"(t), __warpsim_operands_##geometry __warpsim_operands_##mode     \
                         : "memory");                                                              \
    }
#define __warpsim_sparse_sample(channel, letter, type, geometry, mode)                             \
    __warpsim_sample(channel, letter, type, geometry, mode)                                        \
    __warpsim_device void __warpsim_tex_##geometry##_##mode(                                       \
        channel *v, bool *is_resident, cudaTextureObject_t t,                                      \
        __warpsim_parameters_##geometry __warpsim_parameters_##mode) {                             \
        unsigned is;                                                                               \
        __asm__ volatile("{ .reg .pred is; "                                                       \
                         "tex" __warpsim_mode_##mode "." #geometry ".v4." type ".f32 "             \
                         "{%0, %1, %2, %3}|is, "                                                   \
                         "[%[t], " __warpsim_at_##geometry "]" __warpsim_behind_##mode "; "        \
                         "selp.u32 %4, 1, 0, is; }"                                                \
                         : __warpsim_outputs(letter), "=r"(is)                                     \
                         : [t] "l"(t), __warpsim_operands_##geometry __warpsim_operands_##mode     \
                         : "memory");                                                              \
        *is_resident = is != 0;                                                                    \
    }
// One component of the four texels around.
#define __warpsim_gather(channel, letter, type, component)                                         \
    __warpsim_device void __warpsim_gather_##component(channel *v, cudaTextureObject_t t, float x, \
                                                       float y) {                                  \
        __asm__ volatile("tld4." #component ".2d.v4." type ".f32 "                                 \
                         "{%0, %1, %2, %3}, [%[t], {%[x], %[y]}];"                                 \
                         : __warpsim_outputs(letter)                                               \
                         : [t] "l"(t), __warpsim_operands_2d                                       \
                         : "memory");                                                              \
    }                                                                                              \
    __warpsim_device void __warpsim_gather_##component(channel *v, bool *is_resident,              \
                                                       cudaTextureObject_t t, float x, float y) {  \
        unsigned is;                                                                               \
        __asm__ volatile("{ .reg .pred is; tld4." #component ".2d.v4." type ".f32 "                \
                         "{%0, %1, %2, %3}|is, [%[t], {%[x], %[y]}]; selp.u32 %4, 1, 0, is; }"     \
                         : __warpsim_outputs(letter), "=r"(is)                                     \
                         : [t] "l"(t), __warpsim_operands_2d : "memory");                          \
        *is_resident = is != 0;                                                                    \
    }
#define __warpsim_lookups(channel, letter, type)                                                   \
    __warpsim_device void __warpsim_fetch_1d(channel *v, cudaTextureObject_t t, int x) {           \
        __asm__ volatile("tex.1d.v4." type ".s32 {%0, %1, %2, %3}, [%[t], {%[x]}];"                \
                         : __warpsim_outputs(letter) : [t] "l"(t), [x] "r"(x) : "memory");         \
    }                                                                                              \
    __warpsim_sample(channel, letter, type, 1d, base)                                              \
    __warpsim_sample(channel, letter, type, 1d, level)                                             \
    __warpsim_sample(channel, letter, type, 1d, grad1)                                             \
    __warpsim_sparse_sample(channel, letter, type, 2d, base)                                       \
    __warpsim_sparse_sample(channel, letter, type, 2d, level)                                      \
    __warpsim_sparse_sample(channel, letter, type, 2d, grad2)                                      \
    __warpsim_sparse_sample(channel, letter, type, 3d, base)                                       \
    __warpsim_sparse_sample(channel, letter, type, 3d, level)                                      \
    __warpsim_sparse_sample(channel, letter, type, 3d, grad3)                                      \
    __warpsim_sample(channel, letter, type, a1d, base)                                             \
    __warpsim_sample(channel, letter, type, a1d, level)                                            \
    __warpsim_sample(channel, letter, type, a1d, grad1)                                            \
    __warpsim_sparse_sample(channel, letter, type, a2d, base)                                      \
    __warpsim_sparse_sample(channel, letter, type, a2d, level)                                     \
    __warpsim_sparse_sample(channel, letter, type, a2d, grad2)                                     \
    __warpsim_sample(channel, letter, type, cube, base)                                            \
    __warpsim_sample(channel, letter, type, cube, level)                                           \
    __warpsim_sample(channel, letter, type, cube, grad3)                                           \
    __warpsim_sample(channel, letter, type, acube, base)                                           \
    __warpsim_sample(channel, letter, type, acube, level)                                          \
    __warpsim_sample(channel, letter, type, acube, grad3)                                          \
    __warpsim_gather(channel, letter, type, r)                                                     \
    __warpsim_gather(channel, letter, type, g)                                                     \
    __warpsim_gather(channel, letter, type, b)                                                     \
    __warpsim_gather(channel, letter, type, a)
__warpsim_lookups(float, "f", "f32")
__warpsim_lookups(int, "r", "s32")
__warpsim_lookups(unsigned, "r", "u32")
#undef __warpsim_lookups
#undef __warpsim_gather
#undef __warpsim_sparse_sample
#undef __warpsim_sample
#undef __warpsim_outputs

// The functions of CUDA, by value and by pointer.
template <class T> __warpsim_device T tex1Dfetch(cudaTextureObject_t t, int x) {
    typename __warpsim_texel<T>::channel v[4];
    __warpsim_fetch_1d(v, t, x);
    return __warpsim_texel<T>::of(v);
}
template <class T> __warpsim_device void tex1Dfetch(T *to, cudaTextureObject_t t, int x) {
    *to = tex1Dfetch<T>(t, x);
}
#define __warpsim_texture(name, geometry, mode)                                                    \
    template <class T>                                                                             \
    __warpsim_device T name(cudaTextureObject_t t,                                                 \
                            __warpsim_parameters_##geometry __warpsim_parameters_##mode) {         \
        typename __warpsim_texel<T>::channel v[4];                                                 \
        __warpsim_tex_##geometry##_##mode(                                                         \
            v, t, __warpsim_arguments_##geometry __warpsim_arguments_##mode);                      \
        return __warpsim_texel<T>::of(v);                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    __warpsim_device void name(T *to, cudaTextureObject_t t,                                       \
                               __warpsim_parameters_##geometry __warpsim_parameters_##mode) {      \
        *to = name<T>(t, __warpsim_arguments_##geometry __warpsim_arguments_##mode);               \
    }
#define __warpsim_sparse(name, geometry, mode)                                                     \
    __warpsim_texture(name, geometry, mode)                                                        \
    template <class T>                                                                             \
    __warpsim_device T name(cudaTextureObject_t t,                                                 \
                            __warpsim_parameters_##geometry __warpsim_parameters_##mode,           \
                            bool *is_resident) {                                                   \
        typename __warpsim_texel<T>::channel v[4];                                                 \
        __warpsim_tex_##geometry##_##mode(                                                         \
            v, is_resident, t, __warpsim_arguments_##geometry __warpsim_arguments_##mode);         \
        return __warpsim_texel<T>::of(v);                                                          \
    }                                                                                              \
    template <class T>                                                                             \
    __warpsim_device void name(T *to, cudaTextureObject_t t,                                       \
                               __warpsim_parameters_##geometry __warpsim_parameters_##mode,        \
                               bool *is_resident) {                                                \
        *to = name<T>(t, __warpsim_arguments_##geometry __warpsim_arguments_##mode, is_resident);  \
    }
__warpsim_texture(tex1D, 1d, base)
__warpsim_texture(tex1DLod, 1d, level)
__warpsim_texture(tex1DGrad, 1d, grad1)
__warpsim_sparse(tex2D, 2d, base)
__warpsim_sparse(tex2DLod, 2d, level)
__warpsim_sparse(tex2DGrad, 2d, grad2)
__warpsim_sparse(tex3D, 3d, base)
__warpsim_sparse(tex3DLod, 3d, level)
__warpsim_sparse(tex3DGrad, 3d, grad3)
__warpsim_texture(tex1DLayered, a1d, base)
__warpsim_texture(tex1DLayeredLod, a1d, level)
__warpsim_texture(tex1DLayeredGrad, a1d, grad1)
__warpsim_sparse(tex2DLayered, a2d, base)
__warpsim_sparse(tex2DLayeredLod, a2d, level)
__warpsim_sparse(tex2DLayeredGrad, a2d, grad2)
__warpsim_texture(texCubemap, cube, base)
__warpsim_texture(texCubemapLod, cube, level)
__warpsim_texture(texCubemapGrad, cube, grad3)
__warpsim_texture(texCubemapLayered, acube, base)
__warpsim_texture(texCubemapLayeredLod, acube, level)
__warpsim_texture(texCubemapLayeredGrad, acube, grad3)
#undef __warpsim_sparse
#undef __warpsim_texture

#define __warpsim_gather(...)                                                                      \
    switch (component) {                                                                           \
    case 1: __warpsim_gather_g(__VA_ARGS__); break;                                                \
    case 2: __warpsim_gather_b(__VA_ARGS__); break;                                                \
    case 3: __warpsim_gather_a(__VA_ARGS__); break;                                                \
    default: __warpsim_gather_r(__VA_ARGS__);                                                      \
    }
template <class T>
__warpsim_device T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
    typename __warpsim_texel<T>::channel v[4];
    __warpsim_gather(v, t, x, y)
    return __warpsim_texel<T>::of(v);
}
template <class T>
__warpsim_device T tex2Dgather(cudaTextureObject_t t, float x, float y, bool *is_resident,
                               int component = 0) {
    typename __warpsim_texel<T>::channel v[4];
    __warpsim_gather(v, is_resident, t, x, y)
    return __warpsim_texel<T>::of(v);
}
#undef __warpsim_gather
template <class T>
__warpsim_device void tex2Dgather(T *to, cudaTextureObject_t t, float x, float y,
                                  int component = 0) {
    *to = tex2Dgather<T>(t, x, y, component);
}
template <class T>
__warpsim_device void tex2Dgather(T *to, cudaTextureObject_t t, float x, float y, bool *is_resident,
                                  int component = 0) {
    *to = tex2Dgather<T>(t, x, y, is_resident, component);
}
