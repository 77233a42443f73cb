// A message, which only a GPU prints.
#include <stdio.h>

extern "C" __global__ void printing(const int *in) {
    if (in[threadIdx.x] < 0) printf("%d is negative\n", in[threadIdx.x]);
}
