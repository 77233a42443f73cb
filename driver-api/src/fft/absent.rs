//! cuFFT's functions that its headers declare but that are not implemented here: callbacks, several
//! GPUs, and numbers of half precision.

use super::{Status, refused};
use crate::absent::absent;

absent! { refused, Status::Success;
    cufftXtSetCallback cufftXtClearCallback cufftXtSetCallbackSharedSize cufftXtMalloc
    cufftXtMemcpy cufftXtFree cufftXtExecDescriptor cufftXtExecDescriptorC2C
    cufftXtExecDescriptorR2C cufftXtExecDescriptorC2R cufftXtExecDescriptorZ2Z
    cufftXtExecDescriptorD2Z cufftXtExecDescriptorZ2D cufftXtQueryPlan cufftXtSetWorkArea
    cufftXtSetWorkAreaPolicy cufftXtGetSizeMany
}
