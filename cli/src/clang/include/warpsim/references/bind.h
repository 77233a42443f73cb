// How references are bound (CUDA Runtime API reference, version 11.8, "Texture Reference
// Management", "Surface Reference Management", and their C++ routines).
#pragma once

// Writes an object into the variable of a reference, and forgets the one before.
__warpsim_host cudaError_t __warpsim_rebind(const textureReference *reference,
                                            cudaTextureObject_t object, size_t offset) {
    textureReference *own = const_cast<textureReference *>(reference);
    cudaError_t error = cudaMemcpyToSymbol((const void *)own, &object, sizeof object);
    if (error != cudaSuccess) return error;
    if (own->__object) error = cudaDestroyTextureObject(own->__object);
    own->__object = object;
    own->__offset = offset;
    return error;
}
__warpsim_host cudaError_t __warpsim_bind(const textureReference *reference,
                                          const cudaResourceDesc &resource, size_t offset) {
    struct cudaTextureDesc how = {};
    for (int i = 0; i < 3; i++) how.addressMode[i] = reference->addressMode[i];
    how.filterMode = reference->filterMode;
    how.readMode = reference->__mode;
    how.sRGB = reference->sRGB;
    how.normalizedCoords = reference->normalized;
    how.maxAnisotropy = reference->maxAnisotropy;
    how.mipmapFilterMode = reference->mipmapFilterMode;
    how.mipmapLevelBias = reference->mipmapLevelBias;
    how.minMipmapLevelClamp = reference->minMipmapLevelClamp;
    how.maxMipmapLevelClamp = reference->maxMipmapLevelClamp;
    how.disableTrilinearOptimization = reference->disableTrilinearOptimization;
    cudaTextureObject_t object = 0;
    cudaError_t error = cudaCreateTextureObject(&object, &resource, &how, 0);
    return error == cudaSuccess ? __warpsim_rebind(reference, object, offset) : error;
}

// Textures begin at multiples of the device's alignment: the rest is the offset, which the program
// adds to its coordinates.
__warpsim_host cudaError_t __warpsim_begin(size_t *offset, const void *p, size_t *rest) {
    int device = 0, alignment = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device);
    if (error != cudaSuccess) return error;
    *rest = (size_t)p % alignment;
    if (*rest && !offset) return cudaErrorInvalidValue;
    if (offset) *offset = *rest;
    return cudaSuccess;
}
// How many bytes lie behind an address in its allocation: the driver knows.
__warpsim_host size_t __warpsim_behind(const void *p) {
    void *found = 0;
    enum cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPoint("cuMemGetAddressRange", &found, cudaEnableDefault, &result) !=
            cudaSuccess ||
        !found)
        return ~(size_t)0;
    unsigned long long base = 0;
    size_t bytes = 0;
    typedef int (*Range)(unsigned long long *, size_t *, unsigned long long);
    if (((Range)found)(&base, &bytes, (unsigned long long)p)) return ~(size_t)0;
    return base + bytes - (unsigned long long)p;
}

// The size that is left out is that of all that follows.
__warpsim_host cudaError_t cudaBindTexture(size_t *offset, const textureReference *reference,
                                           const void *p, const cudaChannelFormatDesc *format,
                                           size_t bytes = UINT_MAX) {
    size_t rest = 0;
    cudaError_t error = __warpsim_begin(offset, p, &rest);
    if (error != cudaSuccess) return error;
    if (bytes == UINT_MAX) {
        size_t behind = __warpsim_behind(p);
        if (behind < bytes) bytes = behind;
    }
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (char *)p - rest;
    resource.res.linear.desc = *format;
    resource.res.linear.sizeInBytes = bytes + rest;
    return __warpsim_bind(reference, resource, rest);
}
__warpsim_host cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *reference,
                                             const void *p, const cudaChannelFormatDesc *format,
                                             size_t width, size_t height, size_t pitch) {
    size_t rest = 0;
    cudaError_t error = __warpsim_begin(offset, p, &rest);
    if (error != cudaSuccess) return error;
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (char *)p - rest;
    resource.res.pitch2D.desc = *format;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return __warpsim_bind(reference, resource, rest);
}
__warpsim_host cudaError_t cudaBindTextureToArray(const textureReference *reference,
                                                  cudaArray_const_t array,
                                                  const cudaChannelFormatDesc *) {
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = (cudaArray_t)array;
    return __warpsim_bind(reference, resource, 0);
}
__warpsim_host cudaError_t cudaBindTextureToMipmappedArray(const textureReference *reference,
                                                           cudaMipmappedArray_const_t array,
                                                           const cudaChannelFormatDesc *) {
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = (cudaMipmappedArray_t)array;
    return __warpsim_bind(reference, resource, 0);
}
__warpsim_host cudaError_t cudaUnbindTexture(const textureReference *reference) {
    return reference->__object ? __warpsim_rebind(reference, 0, 0) : cudaSuccess;
}
__warpsim_host cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                         const textureReference *reference) {
    if (!reference->__object) return cudaErrorInvalidTextureBinding;
    *offset = reference->__offset;
    return cudaSuccess;
}
// What stands for a reference on the host is its variable.
__warpsim_host cudaError_t cudaGetTextureReference(const textureReference **reference,
                                                   const void *symbol) {
    *reference = (const textureReference *)symbol;
    return symbol ? cudaSuccess : cudaErrorInvalidTexture;
}

#define __warpsim_of template <class T, int type, enum cudaTextureReadMode mode>
#define __warpsim_it const struct texture<T, type, mode> &t
__warpsim_of __warpsim_host cudaError_t cudaBindTexture(size_t *offset, __warpsim_it, const void *p,
                                                        const cudaChannelFormatDesc &format,
                                                        size_t bytes = UINT_MAX) {
    return cudaBindTexture(offset, (const textureReference *)&t, p, &format, bytes);
}
__warpsim_of __warpsim_host cudaError_t cudaBindTexture(size_t *offset, __warpsim_it, const void *p,
                                                        size_t bytes = UINT_MAX) {
    return cudaBindTexture(offset, t, p, t.channelDesc, bytes);
}
__warpsim_of __warpsim_host cudaError_t cudaBindTexture2D(size_t *offset, __warpsim_it,
                                                          const void *p,
                                                          const cudaChannelFormatDesc &format,
                                                          size_t width, size_t height,
                                                          size_t pitch) {
    return cudaBindTexture2D(offset, (const textureReference *)&t, p, &format, width, height,
                             pitch);
}
__warpsim_of __warpsim_host cudaError_t cudaBindTexture2D(size_t *offset, __warpsim_it,
                                                          const void *p, size_t width,
                                                          size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, t, p, t.channelDesc, width, height, pitch);
}
__warpsim_of __warpsim_host cudaError_t
cudaBindTextureToArray(__warpsim_it, cudaArray_const_t array, const cudaChannelFormatDesc &format) {
    return cudaBindTextureToArray((const textureReference *)&t, array, &format);
}
__warpsim_of __warpsim_host cudaError_t cudaBindTextureToArray(__warpsim_it,
                                                               cudaArray_const_t array) {
    return cudaBindTextureToArray(t, array, t.channelDesc);
}
__warpsim_of __warpsim_host cudaError_t cudaBindTextureToMipmappedArray(
    __warpsim_it, cudaMipmappedArray_const_t array, const cudaChannelFormatDesc &format) {
    return cudaBindTextureToMipmappedArray((const textureReference *)&t, array, &format);
}
__warpsim_of __warpsim_host cudaError_t
cudaBindTextureToMipmappedArray(__warpsim_it, cudaMipmappedArray_const_t array) {
    return cudaBindTextureToMipmappedArray(t, array, t.channelDesc);
}
__warpsim_of __warpsim_host cudaError_t cudaUnbindTexture(__warpsim_it) {
    return cudaUnbindTexture((const textureReference *)&t);
}
__warpsim_of __warpsim_host cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                                      __warpsim_it) {
    return cudaGetTextureAlignmentOffset(offset, (const textureReference *)&t);
}
__warpsim_of __warpsim_host cudaError_t cudaGetTextureReference(const textureReference **reference,
                                                                __warpsim_it) {
    return cudaGetTextureReference(reference, (const void *)&t);
}
#undef __warpsim_of
#undef __warpsim_it

__warpsim_host cudaError_t cudaBindSurfaceToArray(const surfaceReference *reference,
                                                  cudaArray_const_t array,
                                                  const cudaChannelFormatDesc *) {
    surfaceReference *own = const_cast<surfaceReference *>(reference);
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = (cudaArray_t)array;
    cudaSurfaceObject_t object = 0;
    cudaError_t error = cudaCreateSurfaceObject(&object, &resource);
    if (error == cudaSuccess) error = cudaMemcpyToSymbol((const void *)own, &object, sizeof object);
    if (error == cudaSuccess && own->__object) error = cudaDestroySurfaceObject(own->__object);
    if (error == cudaSuccess) own->__object = object;
    return error;
}
template <class T, int type>
__warpsim_host cudaError_t cudaBindSurfaceToArray(const struct surface<T, type> &s,
                                                  cudaArray_const_t array,
                                                  const cudaChannelFormatDesc &format) {
    return cudaBindSurfaceToArray((const surfaceReference *)&s, array, &format);
}
template <class T, int type>
__warpsim_host cudaError_t cudaBindSurfaceToArray(const struct surface<T, type> &s,
                                                  cudaArray_const_t array) {
    return cudaBindSurfaceToArray(s, array, s.channelDesc);
}
__warpsim_host cudaError_t cudaGetSurfaceReference(const surfaceReference **reference,
                                                   const void *symbol) {
    *reference = (const surfaceReference *)symbol;
    return symbol ? cudaSuccess : cudaErrorInvalidSurface;
}
