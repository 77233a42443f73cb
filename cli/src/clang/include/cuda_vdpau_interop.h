// VDPAU (CUDA Runtime API reference, version 12.9, "VDPAU Interoperability"). What warpsim
// lacks: all of them answer `cudaErrorNotSupported`.
#if !defined(__CUDA_VDPAU_INTEROP_H__)
#define __CUDA_VDPAU_INTEROP_H__
#include "cuda_runtime_api.h"

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

__warpsim_begin_c
cudaError_t cudaVDPAUGetDevice(int *, VdpDevice, VdpGetProcAddress *);
cudaError_t cudaVDPAUSetVDPAUDevice(int, VdpDevice, VdpGetProcAddress *);
cudaError_t cudaGraphicsVDPAURegisterVideoSurface(struct cudaGraphicsResource **, VdpVideoSurface,
    unsigned);
cudaError_t cudaGraphicsVDPAURegisterOutputSurface(struct cudaGraphicsResource **, VdpOutputSurface,
    unsigned);
__warpsim_end_c
#endif
