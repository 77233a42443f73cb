// Tiles of a block, and the lanes that came together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace groups = cooperative_groups;

__global__ void tiles(const int *in, int *largest, int *rank) {
    auto tile = groups::tiled_partition<8>(groups::this_thread_block());
    largest[threadIdx.x] = groups::reduce(tile, in[threadIdx.x], groups::greater<int>());
    if (in[threadIdx.x] % 3 == 0) rank[threadIdx.x] = groups::coalesced_threads().thread_rank();
}
