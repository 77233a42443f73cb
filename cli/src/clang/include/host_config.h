// The name of <crt/host_config.h> that programs know from older versions.
#include "crt/host_config.h"
