// The formats of texels (CUDA Runtime API reference, version 12.9, "C++ API Routines": `cudaCreateChannelDesc`).
#if !defined(__CHANNEL_DESCRIPTOR_H__)
#define __CHANNEL_DESCRIPTOR_H__
#include "cuda_runtime_api.h"
#if defined(__cplusplus)

// A type that is no texel has the format of kind `None`.
template <class T> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define __warpsim_format(T, x, y, z, w, kind)                                                                             \
    template <> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                                      \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                                            \
    }
// A number, and vectors of one, two and four.
#define __warpsim_formats(T, name, kind)                                                                                  \
    __warpsim_format(T, 8 * (int)sizeof(T), 0, 0, 0, kind)                                                                \
    __warpsim_vectors(T, name, kind)
#define __warpsim_vectors(T, name, kind)                                                                                  \
    __warpsim_format(name##1, 8 * (int)sizeof(T), 0, 0, 0, kind)                                                          \
    __warpsim_format(name##2, 8 * (int)sizeof(T), 8 * (int)sizeof(T), 0, 0, kind)                                         \
    __warpsim_format(name##4, 8 * (int)sizeof(T), 8 * (int)sizeof(T), 8 * (int)sizeof(T), 8 * (int)sizeof(T), kind)
__warpsim_format(char, 8, 0, 0, 0, Signed)
__warpsim_formats(signed char, char, Signed)
__warpsim_formats(unsigned char, uchar, Unsigned)
__warpsim_formats(short, short, Signed)
__warpsim_formats(unsigned short, ushort, Unsigned)
__warpsim_formats(int, int, Signed)
__warpsim_formats(unsigned, uint, Unsigned)
__warpsim_formats(float, float, Float)

__warpsim_host cudaChannelFormatDesc cudaCreateChannelDescHalf() {
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
__warpsim_host cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
__warpsim_host cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
__warpsim_host cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

// Formats that no type of C++ names: by their kinds.
template <cudaChannelFormatKind> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define __warpsim_kind(kind, x, y, z, w)                                                                                  \
    template <> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<cudaChannelFormatKind##kind>() {            \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                                            \
    }
#define __warpsim_normalized(sign, bits)                                                                                  \
    __warpsim_kind(sign##Normalized##bits##X1, bits, 0, 0, 0)                                                             \
    __warpsim_kind(sign##Normalized##bits##X2, bits, bits, 0, 0)                                                          \
    __warpsim_kind(sign##Normalized##bits##X4, bits, bits, bits, bits)
__warpsim_normalized(Signed, 8)
__warpsim_normalized(Unsigned, 8)
__warpsim_normalized(Signed, 16)
__warpsim_normalized(Unsigned, 16)
__warpsim_kind(UnsignedNormalized1010102, 10, 10, 10, 2)
__warpsim_kind(NV12, 8, 8, 8, 0)
__warpsim_kind(UnsignedBlockCompressed1, 8, 8, 8, 8)
__warpsim_kind(UnsignedBlockCompressed1SRGB, 8, 8, 8, 8)
__warpsim_kind(UnsignedBlockCompressed2, 8, 8, 8, 8)
__warpsim_kind(UnsignedBlockCompressed2SRGB, 8, 8, 8, 8)
__warpsim_kind(UnsignedBlockCompressed3, 8, 8, 8, 8)
__warpsim_kind(UnsignedBlockCompressed3SRGB, 8, 8, 8, 8)
__warpsim_kind(UnsignedBlockCompressed4, 8, 0, 0, 0)
__warpsim_kind(SignedBlockCompressed4, 8, 0, 0, 0)
__warpsim_kind(UnsignedBlockCompressed5, 8, 8, 0, 0)
__warpsim_kind(SignedBlockCompressed5, 8, 8, 0, 0)
__warpsim_kind(UnsignedBlockCompressed6H, 16, 16, 16, 0)
__warpsim_kind(SignedBlockCompressed6H, 16, 16, 16, 0)
__warpsim_kind(UnsignedBlockCompressed7, 8, 8, 8, 8)
__warpsim_kind(UnsignedBlockCompressed7SRGB, 8, 8, 8, 8)
__warpsim_host cudaChannelFormatDesc cudaCreateChannelDescNV12() { return cudaCreateChannelDesc<cudaChannelFormatKindNV12>(); }
#undef __warpsim_format
#undef __warpsim_formats
#undef __warpsim_vectors
#undef __warpsim_kind
#undef __warpsim_normalized
#endif
#endif
