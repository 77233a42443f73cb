// The name of <nvtx3/nvToolsExt.h> in older versions.
#include "nvtx3/nvToolsExt.h"
