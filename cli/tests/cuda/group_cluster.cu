// A cluster, which is one block: its members by themselves and as a base.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned met(cg::thread_group group) {
    group.sync();
    return (unsigned)(group.size() * 1000 + group.thread_rank());
}
// Of 16 x 4 threads.
__global__ void cluster(int *out) {
    __shared__ int cells[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = (int)cluster.thread_rank();
    cells[t] = 5 * t;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
    out[t] = cluster.map_shared_rank(cells, 0)[63 - t] + cluster.query_shared_rank(cells);
    dim3 at = cluster.thread_index(), threads = cluster.dim_threads(), blocks = cluster.dim_blocks();
    dim3 block = cluster.block_index();
    out[64 + t] = at.x + 100 * at.y + 1000 * (threads.x + threads.y + threads.z);
    out[128 + t] = blocks.x + blocks.y + blocks.z + 10 * cluster.num_blocks() +
                   100 * (block.x + block.y + block.z + cluster.block_rank());
    out[192 + t] = met(cluster) + 100000 * cluster.num_threads();
    cg::grid_group grid = cg::this_grid();
    dim3 index = grid.cluster_index(), clusters = grid.dim_clusters();
    out[256 + t] = clusters.x + 10 * grid.num_clusters() + 100 * (index.x + grid.cluster_rank());
}
