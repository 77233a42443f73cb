// The name of <device_functions.h> inside of a toolkit.
#include "../device_functions.h"
