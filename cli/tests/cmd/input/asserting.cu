// An assertion about what the host passes.
#include <assert.h>

extern "C" __global__ void asserting(const int *in, int *out) {
    assert(in[threadIdx.x] >= 0);
    out[threadIdx.x] = in[threadIdx.x];
}
