// Texture and surface references (CUDA Runtime API reference, version 11.8, "Texture Reference Management", "Surface Reference
// Management" and their C++ routines; CUDA C++ Programming Guide, version 11.8, "Texture Reference API", "Surface Reference
// API"), which version 12 has no longer and older programs use.
//
// A reference is a global variable of both sides. The device has the 64 bits of the object that it is bound to; the host has
// what `textureReference` says. To bind makes such an object and writes it to the device. How a reference filters and addresses
// is read when it is bound, and changes only where it is bound again.
//
// `texture` and `surface` are names that newer programs may have for things of their own: `WARPSIM_NO_REFERENCES` leaves all
// of this out.
#pragma once
#include "runtime.h"
#if defined(__cplusplus) && !defined(WARPSIM_NO_REFERENCES)
#include <limits.h>

// The compiler knows these classes by attributes: it puts a variable of them on the device without `__device__`.
#if defined(__CUDA__) && defined(__clang__)
#define __warpsim_reference(kind) __attribute__((device_builtin_##kind##_type))
#else
#define __warpsim_reference(kind)
#endif

template <class T, int type = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __warpsim_reference(texture) texture : textureReference {
    texture(int are_normalized = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
            enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(are_normalized, filter, address, cudaCreateChannelDesc<T>()) {}
    texture(int are_normalized, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
            struct cudaChannelFormatDesc format)
        : textureReference() {
        normalized = are_normalized;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = format;
        __mode = mode;
    }
};
template <class T, int type = cudaSurfaceType1D> struct __warpsim_reference(surface) surface : surfaceReference {
    surface() : surfaceReference() {}
    surface(struct cudaChannelFormatDesc format) : surfaceReference() { channelDesc = format; }
};
template <int type> struct __warpsim_reference(surface) surface<void, type> : surfaceReference {
    surface() : surfaceReference() {}
};
#undef __warpsim_reference

#if defined(__CUDA__) && defined(__clang__)
// The compiler registers references by these; to the library they are variables of 64 bits.
extern "C" {
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
__attribute__((weak)) void __cudaRegisterTexture(void **module, const void *variable, const void **, const char *name, int, int,
                                                 int is_external) {
    __cudaRegisterVar(module, (char *)variable, (char *)name, name, is_external, 8, 0, 0);
}
__attribute__((weak)) void __cudaRegisterSurface(void **module, const void *variable, const void **, const char *name, int,
                                                 int is_external) {
    __cudaRegisterVar(module, (char *)variable, (char *)name, name, is_external, 8, 0, 0);
}
}
#endif

#include "references/bind.h"
#if defined(__CUDA__) && defined(__clang__)
#include "references/read.h"
#endif
#endif
