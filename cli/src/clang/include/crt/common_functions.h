// The name of <common_functions.h> inside of a toolkit.
#include "../common_functions.h"
