// The name of <device_double_functions.h> inside of a toolkit.
#include "../device_double_functions.h"
