#include "broken.h"
__global__ void k(int *out) { *out = half(*out); }
