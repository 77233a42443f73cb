// The name of <nvtx3/nvToolsExtCuda.h> in older versions.
#include "nvtx3/nvToolsExtCuda.h"
