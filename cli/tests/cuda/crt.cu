#include "crt/mma.h"
__global__ void k() {}
