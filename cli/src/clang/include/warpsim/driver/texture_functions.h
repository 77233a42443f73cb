// Textures, surfaces, tensor maps and graphics (CUDA Driver API reference, version 12.9, the
// chapters named below). What the library lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#pragma once
#include "../c.h"

__warpsim_begin_c

// Texture Reference Management [DEPRECATED].
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetArray(CUtexref, CUarray, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetMipmappedArray(CUtexref, CUmipmappedArray,
    unsigned);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetAddress(size_t *, CUtexref, CUdeviceptr, size_t);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetAddress2D(CUtexref, const CUDA_ARRAY_DESCRIPTOR *,
    CUdeviceptr, size_t);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetFormat(CUtexref, CUarray_format, int);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetAddressMode(CUtexref, int, CUaddress_mode);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetFilterMode(CUtexref, CUfilter_mode);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetMipmapFilterMode(CUtexref, CUfilter_mode);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetMipmapLevelBias(CUtexref, float);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetMipmapLevelClamp(CUtexref, float, float);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetMaxAnisotropy(CUtexref, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetBorderColor(CUtexref, float *);
__warpsim_deprecated CUresult CUDAAPI cuTexRefSetFlags(CUtexref, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetAddress(CUdeviceptr *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetArray(CUarray *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetMipmappedArray(CUmipmappedArray *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetAddressMode(CUaddress_mode *, CUtexref, int);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetFilterMode(CUfilter_mode *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetFormat(CUarray_format *, int *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetMipmapFilterMode(CUfilter_mode *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetMipmapLevelBias(float *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetMipmapLevelClamp(float *, float *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetMaxAnisotropy(int *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetBorderColor(float *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefGetFlags(unsigned *, CUtexref);
__warpsim_deprecated CUresult CUDAAPI cuTexRefCreate(CUtexref *);
__warpsim_deprecated CUresult CUDAAPI cuTexRefDestroy(CUtexref);

// Surface Reference Management [DEPRECATED].
__warpsim_deprecated CUresult CUDAAPI cuSurfRefSetArray(CUsurfref, CUarray, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuSurfRefGetArray(CUarray *, CUsurfref);

// Texture Object Management.
CUresult CUDAAPI cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *,
    const CUDA_TEXTURE_DESC *, const CUDA_RESOURCE_VIEW_DESC *);
CUresult CUDAAPI cuTexObjectDestroy(CUtexObject);
CUresult CUDAAPI cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUtexObject);
CUresult CUDAAPI cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *, CUtexObject);
CUresult CUDAAPI cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *, CUtexObject);

// Surface Object Management.
CUresult CUDAAPI cuSurfObjectCreate(CUsurfObject *, const CUDA_RESOURCE_DESC *);
CUresult CUDAAPI cuSurfObjectDestroy(CUsurfObject);
CUresult CUDAAPI cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUsurfObject);

// Tensor Map Object Managment.
CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
    const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
    CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
    const cuuint64_t *, const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill);
CUresult CUDAAPI cuTensorMapEncodeIm2colWide(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
    const cuuint64_t *, const cuuint64_t *, int, int, cuuint32_t, cuuint32_t, const cuuint32_t *,
    CUtensorMapInterleave, CUtensorMapIm2ColWideMode, CUtensorMapSwizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill);
CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap *, void *);

// Graphics Interoperability.
CUresult CUDAAPI cuGraphicsUnregisterResource(CUgraphicsResource);
CUresult CUDAAPI cuGraphicsSubResourceGetMappedArray(CUarray *, CUgraphicsResource, unsigned,
    unsigned);
CUresult CUDAAPI cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *, CUgraphicsResource);
CUresult CUDAAPI cuGraphicsResourceGetMappedPointer(CUdeviceptr *, size_t *, CUgraphicsResource);
CUresult CUDAAPI cuGraphicsResourceSetMapFlags(CUgraphicsResource, unsigned);
CUresult CUDAAPI cuGraphicsMapResources(unsigned, CUgraphicsResource *, CUstream);
CUresult CUDAAPI cuGraphicsUnmapResources(unsigned, CUgraphicsResource *, CUstream);
__warpsim_end_c
