// Types of textures (CUDA Runtime API reference, version 12.9, "Texture Object Management"), and those of texture references
// (the same, version 11.8, "Texture Reference Management").
#if !defined(__TEXTURE_TYPES_H__)
#define __TEXTURE_TYPES_H__
#include "driver_types.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC

enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat };
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
typedef unsigned long long cudaTextureObject_t;

struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    // What warpsim keeps: the object that the reference is bound to, how many bytes before the memory it begins, and how its
    // texels are read.
    cudaTextureObject_t __object;
    size_t __offset;
    enum cudaTextureReadMode __mode;
    int __cudaReserved[9];
};
#endif
