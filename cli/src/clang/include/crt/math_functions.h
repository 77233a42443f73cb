// The name of <math_functions.h> inside of a toolkit.
#include "../math_functions.h"
