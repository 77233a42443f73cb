// VDPAU (CUDA Driver API reference, version 12.9, "VDPAU Interoperability"). What warpsim
// lacks: all of them answer `CUDA_ERROR_NOT_SUPPORTED`.
#if !defined(CUDAVDPAU_H)
#define CUDAVDPAU_H
#include "cuda.h"

// The types are those of <vdpau/vdpau.h> where that is installed.
#if defined(__has_include) && __has_include(<vdpau/vdpau.h>)
#include <vdpau/vdpau.h>
#elif !defined(__WARPSIM_VDPAU__)
#define __WARPSIM_VDPAU__
#include <stdint.h>
typedef uint32_t VdpDevice, VdpFuncId, VdpVideoSurface, VdpOutputSurface;
typedef int VdpStatus;
typedef VdpStatus VdpGetProcAddress(VdpDevice, VdpFuncId, void **);
#endif
#define cuVDPAUCtxCreate cuVDPAUCtxCreate_v2
__warpsim_begin_c
CUresult CUDAAPI cuVDPAUGetDevice(CUdevice *, VdpDevice, VdpGetProcAddress *);
CUresult CUDAAPI cuVDPAUCtxCreate(CUcontext *, unsigned, CUdevice, VdpDevice, VdpGetProcAddress *);
CUresult CUDAAPI cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource *, VdpVideoSurface,
    unsigned);
CUresult CUDAAPI cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource *, VdpOutputSurface,
    unsigned);
__warpsim_end_c
#endif
