// Names of what the runtime API has (NVIDIA Tools Extension documentation, version 3): no profiler listens here.
#if !defined(NVTOOLSEXT_CUDART_V3)
#define NVTOOLSEXT_CUDART_V3
#include "../driver_types.h"
#include "nvToolsExt.h"
#define NVTX_RESOURCE_CLASS_CUDART 5
typedef enum nvtxResourceCUDARTType_t {
    NVTX_RESOURCE_TYPE_CUDART_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDART, 0),
    NVTX_RESOURCE_TYPE_CUDART_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDART, 1),
    NVTX_RESOURCE_TYPE_CUDART_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDART, 2)
} nvtxResourceCUDARTType_t;
__warpsim_both_texts(void, nvtxNameCudaDevice, int device __warpsim_and, (void)device)
__warpsim_both_texts(void, nvtxNameCudaStream, cudaStream_t stream __warpsim_and, (void)stream)
__warpsim_both_texts(void, nvtxNameCudaEvent, cudaEvent_t event __warpsim_and, (void)event)
#define nvtxNameCudaDevice __warpsim_text(nvtxNameCudaDevice)
#define nvtxNameCudaStream __warpsim_text(nvtxNameCudaStream)
#define nvtxNameCudaEvent __warpsim_text(nvtxNameCudaEvent)
#endif
