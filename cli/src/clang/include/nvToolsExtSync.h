// The name of <nvtx3/nvToolsExtSync.h> in older versions.
#include "nvtx3/nvToolsExtSync.h"
