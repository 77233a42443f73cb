// The name of <crt/host_defines.h> that programs know from older versions.
#include "crt/host_defines.h"
