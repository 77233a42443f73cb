// What a program's own locks do (NVIDIA Tools Extension documentation, version 3): no profiler listens here.
#if !defined(NVTOOLSEXT_SYNC_V3)
#define NVTOOLSEXT_SYNC_V3
#include "nvToolsExt.h"
typedef struct nvtxSyncUser *nvtxSyncUser_t;
typedef struct nvtxSyncUserAttributes_v0 {
    uint16_t version, size;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxSyncUserAttributes_v0;
typedef struct nvtxSyncUserAttributes_v0 nvtxSyncUserAttributes_t;
#define NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxSyncUserAttributes_v0))
__warpsim_nvtx(nvtxSyncUser_t, nvtxDomainSyncUserCreate, (__warpsim_domain, const nvtxSyncUserAttributes_t *all),
               ((void)domain, (void)all, (nvtxSyncUser_t)0))
__warpsim_nvtx(void, nvtxDomainSyncUserDestroy, (nvtxSyncUser_t lock), (void)lock)
__warpsim_nvtx(void, nvtxDomainSyncUserAcquireStart, (nvtxSyncUser_t lock), (void)lock)
__warpsim_nvtx(void, nvtxDomainSyncUserAcquireFailed, (nvtxSyncUser_t lock), (void)lock)
__warpsim_nvtx(void, nvtxDomainSyncUserAcquireSuccess, (nvtxSyncUser_t lock), (void)lock)
__warpsim_nvtx(void, nvtxDomainSyncUserReleasing, (nvtxSyncUser_t lock), (void)lock)
#endif
