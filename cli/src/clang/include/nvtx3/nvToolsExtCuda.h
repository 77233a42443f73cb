// Names of what the driver API has (NVIDIA Tools Extension documentation, version 3): no profiler listens here.
#if !defined(NVTOOLSEXT_CUDA_V3)
#define NVTOOLSEXT_CUDA_V3
#include "../cuda.h"
#include "nvToolsExt.h"
#define NVTX_RESOURCE_CLASS_CUDA 4
typedef enum nvtxResourceCUDAType_t {
    NVTX_RESOURCE_TYPE_CUDA_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDA, 1),
    NVTX_RESOURCE_TYPE_CUDA_CONTEXT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 2),
    NVTX_RESOURCE_TYPE_CUDA_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDA, 3),
    NVTX_RESOURCE_TYPE_CUDA_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 4)
} nvtxResourceCUDAType_t;
__warpsim_both_texts(void, nvtxNameCuDevice, CUdevice device __warpsim_and, (void)device)
__warpsim_both_texts(void, nvtxNameCuContext, CUcontext context __warpsim_and, (void)context)
__warpsim_both_texts(void, nvtxNameCuStream, CUstream stream __warpsim_and, (void)stream)
__warpsim_both_texts(void, nvtxNameCuEvent, CUevent event __warpsim_and, (void)event)
#define nvtxNameCuDevice __warpsim_text(nvtxNameCuDevice)
#define nvtxNameCuContext __warpsim_text(nvtxNameCuContext)
#define nvtxNameCuStream __warpsim_text(nvtxNameCuStream)
#define nvtxNameCuEvent __warpsim_text(nvtxNameCuEvent)
#endif
