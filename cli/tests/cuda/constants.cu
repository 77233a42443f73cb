// Constants of the module and those that the host writes, and a file that needs -I and -D.
#include "scale.h"

__constant__ float weights[4] = {0.5f, 1, 2, 4};
__constant__ int offset;

__global__ void weigh(float *out) {
    int t = threadIdx.x;
    out[t] = weights[t & 3] * SCALE + offset + EXTRA;
}
