#include <type_traits>
__global__ void k() {}
