// Types of surfaces (CUDA Runtime API reference, version 12.9, "Surface Object Management"), and of surface references (the
// same, version 11.8, "Surface Reference Management").
#if !defined(__SURFACE_TYPES_H__)
#define __SURFACE_TYPES_H__
#include "driver_types.h"

#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0, cudaBoundaryModeClamp, cudaBoundaryModeTrap
};
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto };
typedef unsigned long long cudaSurfaceObject_t;

struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
    // What warpsim keeps: the object that the reference is bound to.
    cudaSurfaceObject_t __object;
};
#endif
