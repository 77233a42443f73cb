// Positions and extents of their numbers (CUDA Runtime API reference, version 12.9, "Memory
// Management").
#if !defined(__DRIVER_FUNCTIONS_H__)
#define __DRIVER_FUNCTIONS_H__
#include "builtin_types.h"

__warpsim_host struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t width,
                                                         size_t height) {
    struct cudaPitchedPtr all = {p, pitch, width, height};
    return all;
}
__warpsim_host struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos all = {x, y, z};
    return all;
}
__warpsim_host struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent all = {width, height, depth};
    return all;
}
#endif
