// The form that `cuCtxCreate` has in version 13 (CUDA Driver API reference, version 13, "Context
// Management"), under the name that it has in version 12, too: C++ tells the two apart by their
// arguments. Other functions whose arguments version 13 changes have the new form under the names
// of their symbols alone (`cuMemAdvise_v2`): programs ask for their types.
#pragma once

static __inline__ CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *how, unsigned flags,
                                       CUdevice device) {
    return cuCtxCreate_v4(context, how, flags, device);
}
