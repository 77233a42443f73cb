// The name of <nvtx3/nvToolsExtCudaRt.h> in older versions.
#include "nvtx3/nvToolsExtCudaRt.h"
