// Every member and function of the guide's chapter "Cooperative Groups" (version 12.9), called once. Clusters are there from sm_90 on.
// libcu++ declares groups so, before or after the header (its `cuda/__memcpy_async`).
namespace cooperative_groups {
namespace __v1 {
class thread_block;
template <unsigned int size, typename Parent> class thread_block_tile;
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
template <class Parent>
constexpr bool is_warp(const cooperative_groups::thread_block_tile<32, Parent> *) { return true; }
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
#ifndef _COOPERATIVE_GROUPS_H_
#error "the guard of the header is what libraries ask for"
#endif

__device__ unsigned long long all;
__device__ void use(unsigned long long v) { all += v; }
__device__ void use(dim3 v) { all += v.x + v.y + v.z; }
template <class T> __device__ T &&moved(T &v) { return static_cast<T &&>(v); }

// What `cuda::atomic` has of what is used here.
enum class order { relaxed };
struct Atomic {
    int v;
    __device__ int fetch_add(int by, order) { return atomicAdd(&v, by); }
    __device__ void store(int by, order) { atomicExch(&v, by); }
};
struct Custom {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

__device__ void of_base(cg::thread_group group) {
    group.sync();
    use(group.size());
    use(group.num_threads());
    use(group.thread_rank());
    cg::sync(group);
    use(cg::thread_rank(group));
    use(cg::group_size(group));
}
// "Implicit Groups".
__device__ void of_block() {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block::sync();
    use(cg::thread_block::thread_rank());
    use(block.group_index());
    use(block.thread_index());
    use(block.dim_threads());
    use(block.num_threads());
    use(block.size());
    use(block.group_dim());
    cg::thread_block::arrival_token token = block.barrier_arrive();
    block.barrier_wait(moved(token));
    of_base(block);
}
__device__ void of_grid() {
    cg::grid_group grid = cg::this_grid();
    use(grid.is_valid());
    grid.sync();
    use(grid.thread_rank());
    use(grid.block_rank());
    use(grid.num_threads());
    use(grid.num_blocks());
    use(grid.dim_blocks());
    use(grid.block_index());
    use(grid.dim_threads());
    use(grid.thread_index());
    use(grid.size());
    use(grid.group_dim());
    cg::grid_group::arrival_token token = grid.barrier_arrive();
    grid.barrier_wait(moved(token));
    of_base(grid);
#if __CUDA_ARCH__ >= 900
    use(grid.cluster_rank());
    use(grid.num_clusters());
    use(grid.dim_clusters());
    use(grid.cluster_index());
    cg::cluster_group cluster = cg::this_cluster();
    cg::cluster_group::sync();
    cg::cluster_group::arrival_token cluster_token = cluster.barrier_arrive();
    cluster.barrier_wait(moved(cluster_token));
    cluster.barrier_arrive();
    cluster.barrier_wait();
    use(cluster.thread_rank());
    use(cluster.block_rank());
    use(cluster.num_threads());
    use(cluster.num_blocks());
    use(cluster.dim_threads());
    use(cluster.dim_blocks());
    use(cluster.thread_index());
    use(cluster.block_index());
    use(cluster.size());
    __shared__ int cell;
    use(cluster.query_shared_rank(&cell));
    use(*cluster.map_shared_rank(&cell, 0));
    of_base(cluster);
#endif
}
// "Explicit Groups", "Group Partitioning".
template <class Group> __device__ void of_part(const Group &group, int v, Atomic *atomic, int *place) {
    int p;
    group.sync();
    use(group.size());
    use(group.num_threads());
    use(group.thread_rank());
    use(group.meta_group_size());
    use(group.meta_group_rank());
    use(group.shfl(v, 0));
    use(group.any(v));
    use(group.all(v));
    use(cg::reduce(group, v, cg::plus<int>()));
    use(cg::reduce(group, v, cg::less<int>()));
    use(cg::reduce(group, v, cg::greater<int>()));
    use(cg::reduce(group, v, cg::bit_and<int>()));
    use(cg::reduce(group, v, cg::bit_or<int>()));
    use(cg::reduce(group, v, cg::bit_xor<int>()));
    use(cg::reduce(group, v, Custom()));
    use(cg::inclusive_scan(group, v));
    use(cg::inclusive_scan(group, v, Custom()));
    use(cg::exclusive_scan(group, v));
    use(cg::exclusive_scan(group, v, Custom()));
    cg::reduce_update_async(group, *atomic, v, cg::plus<int>());
    cg::reduce_store_async(group, *atomic, v, cg::plus<int>());
    cg::reduce_store_async(group, place, v, cg::plus<int>());
    use(cg::inclusive_scan_update(group, *atomic, v));
    use(cg::inclusive_scan_update(group, *atomic, v, cg::plus<int>()));
    use(cg::exclusive_scan_update(group, *atomic, v));
    use(cg::exclusive_scan_update(group, *atomic, v, cg::plus<int>()));
    cg::invoke_one(group, [](int v) { use(v); }, v);
    use(cg::invoke_one_broadcast(group, [&] { return v; }));
    of_base(group);
    (void)p;
}
template <class Group> __device__ void of_lanes(const Group &group, int v, Atomic *atomic, int *place) {
    int p;
    of_part(group, v, atomic, place);
    use(group.shfl_up(v, 1));
    use(group.shfl_down(v, 1));
    use(group.ballot(v));
    use(group.match_any(v));
    use(group.match_all(v, p));
    of_base(cg::labeled_partition(group, v));
    of_base(cg::labeled_partition(group, place));
    of_base(cg::labeled_partition(group, v > 0));
    of_base(cg::binary_partition(group, v > 0));
}
__global__ void names(int v, Atomic *atomic, int *place) {
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ int there[256];
    of_block();
    of_grid();
    cg::thread_block block = cg::this_thread_block(memory);
    cg::thread_block_tile<32, cg::thread_block> tile = cg::tiled_partition<32>(block);
    cg::thread_block_tile<32> bare = tile;
    of_lanes(tile, v, atomic, place);
    of_lanes(bare, v, atomic, place);
    use(tile.shfl_xor(v, 1));
    cg::thread_block_tile<4, cg::thread_block_tile<32, cg::thread_block>> small = cg::tiled_partition<4>(tile);
    of_lanes(small, v, atomic, place);
    of_part(cg::tiled_partition<256>(block), v, atomic, place);
    of_part(cg::tiled_partition<64>(cg::tiled_partition<128>(block)), v, atomic, place);
    cg::coalesced_group group = cg::coalesced_threads();
    of_lanes(group, v, atomic, place);
    cg::coalesced_group part = cg::tiled_partition(group, 4);
    cg::thread_group any = cg::tiled_partition(block, 16);
    of_base(cg::tiled_partition(any, 4));
    of_lanes(part, v, atomic, place);
    of_base(cg::this_thread());
    cg::memcpy_async(block, there, place, sizeof(int) * 32);
    cg::memcpy_async(block, there, 32, place, 64);
    cg::wait_prior<1>(block);
    cg::wait(block);
}
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
__global__ void of_grids() {
    cg::multi_grid_group grids = cg::this_multi_grid();
    use(grids.is_valid());
    use(grids.size() + grids.num_threads() + grids.thread_rank() + grids.grid_rank() + grids.num_grids());
    if (grids.is_valid()) grids.sync();
}
