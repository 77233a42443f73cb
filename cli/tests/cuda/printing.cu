#include <stdio.h>
__global__ void printing(int *out) {
    out[threadIdx.x] = printf("thread %d\n", threadIdx.x);
}
