// Arrays, textures and surfaces (CUDA Runtime API reference, version 12, "Memory Management", "Texture Object Management",
// "Surface Object Management"; CUDA C++ Programming Guide, "Texture Functions", "Surface Functions"): of one to three directions,
// and of layers. Cubes, levels, gathering, and views of another format are missing.
#pragma once

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
enum { cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4, cudaArrayTextureGather = 8 };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    enum cudaMemcpyKind kind;
};
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;

extern "C" {
cudaError_t cudaMallocArray(cudaArray_t *, const cudaChannelFormatDesc *, size_t, size_t = 0, unsigned = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent, unsigned = 0);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *, cudaExtent *, unsigned *, cudaArray_t);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *, cudaArray_const_t);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t, size_t, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind,
                                     cudaStream_t = 0);
cudaError_t cudaMemcpy2DFromArray(void *, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *, size_t, cudaArray_const_t, size_t, size_t, size_t, size_t, enum cudaMemcpyKind,
                                       cudaStream_t = 0);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *, cudaStream_t = 0);
cudaError_t cudaMalloc3D(cudaPitchedPtr *, cudaExtent);
cudaError_t cudaMemset3D(cudaPitchedPtr, int, cudaExtent);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const cudaResourceDesc *, const cudaTextureDesc *,
                                    const cudaResourceViewDesc *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
}

static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t w, size_t h) { return {p, pitch, w, h}; }
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}

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

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() { return __warpsim_texel<T>::format(); }

#include "texture_functions.h"
#include "surface_functions.h"
