// `thread_group`, and the groups that a launch makes: blocks, clusters, grids (CUDA C++ Programming
// Guide, "Group Types", "Implicit Groups").
//
// `barrier_arrive` of a block does nothing, and `barrier_wait` waits for all threads to come to it:
// what a thread does between the two is not seen to race with what others do after theirs (misses).
// No launch is one of several grids, so that a `multi_grid_group` is never valid.
#pragma once
#include "barriers.h"

namespace cooperative_groups {
namespace __v1 {

namespace __warpsim {
enum class Kind { lanes, warps, block, cluster, grid, grids };
}

// Any group, as one type: what kind it is and who is in it are known when it runs.
class thread_group {
  protected:
    __warpsim::Kind kind;
    // Of threads of a warp: which they are.
    unsigned lanes;
    unsigned count, meta_rank, meta_size;
    // Whether they are a tile, or else threads that happened to come together.
    bool is_tile;
    __warpsim_member explicit thread_group(__warpsim::Kind kind, unsigned lanes = 0,
                                           unsigned count = 0, unsigned meta_rank = 0,
                                           unsigned meta_size = 1, bool is_tile = true)
        : kind(kind), lanes(lanes), count(count), meta_rank(meta_rank), meta_size(meta_size),
          is_tile(is_tile) {}
    friend __device__ thread_group tiled_partition(const thread_group &, unsigned);

  public:
    __warpsim_member void sync() const;
    __warpsim_member unsigned long long num_threads() const;
    __warpsim_member unsigned long long thread_rank() const;
    __warpsim_member unsigned long long size() const { return num_threads(); }
};

// Collectives of tiles of several warps need such memory on devices before compute capability 8.0.
// Here each block has its own for them, as on later ones, and this is not looked at.
template <unsigned most_threads = 1024> struct __align__(8) block_tile_memory {
  private:
    char bytes[32 + most_threads / 32 * 8];
};

class thread_block : public thread_group {
    friend __device__ thread_block this_thread_block();
    __warpsim_member thread_block() : thread_group(__warpsim::Kind::block) {}

  public:
    struct arrival_token {};
    static __warpsim_member void sync() { __syncthreads(); }
    __warpsim_member arrival_token barrier_arrive() const { return {}; }
    __warpsim_member void barrier_wait(arrival_token &&) const { __syncthreads(); }
    static __warpsim_member unsigned thread_rank() { return __warpsim::rank_in_block(); }
    static __warpsim_member unsigned num_threads() { return __warpsim::threads_of_block(); }
    static __warpsim_member unsigned size() { return num_threads(); }
    static __warpsim_member dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __warpsim_member dim3 thread_index() {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static __warpsim_member dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __warpsim_member dim3 group_dim() { return dim_threads(); }
};
__warpsim_member thread_block this_thread_block() { return thread_block(); }
template <unsigned most_threads>
__warpsim_member thread_block this_thread_block(block_tile_memory<most_threads> &) {
    return this_thread_block();
}

// A dimension of each of the registers of clusters, which sm_90 has.
#define __warpsim_register(name)                                                                   \
    __warpsim_device unsigned cluster_##name() {                                                   \
        unsigned v;                                                                                \
        asm("mov.u32 %0, %%cluster_" #name ";" : "=r"(v));                                     \
        return v;                                                                                  \
    }
#define __warpsim_registers(name, at)                                                              \
    __warpsim_device dim3 name() {                                                                 \
        unsigned x, y, z;                                                                          \
        asm("mov.u32 %0, %%" #at ".x;" : "=r"(x));                                             \
        asm("mov.u32 %0, %%" #at ".y;" : "=r"(y));                                             \
        asm("mov.u32 %0, %%" #at ".z;" : "=r"(z));                                             \
        return dim3(x, y, z);                                                                      \
    }
namespace __warpsim {
__warpsim_register(ctarank) __warpsim_register(nctarank)
    __warpsim_registers(cluster_ctaid, cluster_ctaid)
        __warpsim_registers(cluster_nctaid, cluster_nctaid)
            __warpsim_registers(clusterid, clusterid) __warpsim_registers(nclusterid, nclusterid)
} // namespace __warpsim
#undef __warpsim_register
#undef __warpsim_registers

// As in CUDA's headers, device code for earlier architectures has no such group.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
class cluster_group : public thread_group {
    friend __device__ cluster_group this_cluster();
    __warpsim_member cluster_group() : thread_group(__warpsim::Kind::cluster) {}

  public:
    struct arrival_token {};
    static __warpsim_member void sync() {
        __warpsim::cluster_arrive();
        __warpsim::cluster_wait();
    }
    static __warpsim_member arrival_token barrier_arrive() {
        __warpsim::cluster_arrive();
        return {};
    }
    static __warpsim_member void barrier_wait() { __warpsim::cluster_wait(); }
    static __warpsim_member void barrier_wait(arrival_token &&) { __warpsim::cluster_wait(); }
    static __warpsim_member unsigned query_shared_rank(const void *address) {
        unsigned rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
        return rank;
    }
    template <class T> static __warpsim_member T *map_shared_rank(T *address, int rank) {
        T *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(address), "r"(rank));
        return there;
    }
    static __warpsim_member dim3 block_index() { return __warpsim::cluster_ctaid(); }
    static __warpsim_member unsigned block_rank() { return __warpsim::cluster_ctarank(); }
    static __warpsim_member dim3 dim_blocks() { return __warpsim::cluster_nctaid(); }
    static __warpsim_member unsigned num_blocks() { return __warpsim::cluster_nctarank(); }
    static __warpsim_member dim3 thread_index() {
        dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    static __warpsim_member unsigned thread_rank() {
        return block_rank() * __warpsim::threads_of_block() + __warpsim::rank_in_block();
    }
    static __warpsim_member dim3 dim_threads() {
        dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static __warpsim_member unsigned num_threads() {
        return num_blocks() * __warpsim::threads_of_block();
    }
    static __warpsim_member unsigned size() { return num_threads(); }
};
__warpsim_member cluster_group this_cluster() { return cluster_group(); }
#endif

class grid_group : public thread_group {
    friend __device__ grid_group this_grid();
    __warpsim_member grid_group() : thread_group(__warpsim::Kind::grid) {}

  public:
    typedef unsigned arrival_token;
    // Whether the launch is a cooperative one.
    __warpsim_member bool is_valid() const { return __warpsim::workspace() != nullptr; }
    __warpsim_member void sync() const { __warpsim::grid_wait(__warpsim::grid_arrive()); }
    __warpsim_member arrival_token barrier_arrive() const { return __warpsim::grid_arrive(); }
    __warpsim_member void barrier_wait(arrival_token &&token) const { __warpsim::grid_wait(token); }
    static __warpsim_member dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __warpsim_member dim3 group_dim() { return dim_blocks(); }
    static __warpsim_member unsigned long long num_blocks() { return __warpsim::blocks_of_grid(); }
    static __warpsim_member dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __warpsim_member unsigned long long block_rank() { return __warpsim::rank_of_block(); }
    static __warpsim_member dim3 dim_threads() {
        return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    }
    static __warpsim_member unsigned long long num_threads() {
        return num_blocks() * __warpsim::threads_of_block();
    }
    static __warpsim_member unsigned long long size() { return num_threads(); }
    static __warpsim_member dim3 thread_index() {
        return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z);
    }
    static __warpsim_member unsigned long long thread_rank() {
        return block_rank() * __warpsim::threads_of_block() + __warpsim::rank_in_block();
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    static __warpsim_member dim3 dim_clusters() { return __warpsim::nclusterid(); }
    static __warpsim_member unsigned long long num_clusters() {
        dim3 all = dim_clusters();
        return (unsigned long long)all.x * all.y * all.z;
    }
    static __warpsim_member dim3 cluster_index() { return __warpsim::clusterid(); }
    static __warpsim_member unsigned long long cluster_rank() {
        dim3 at = cluster_index(), all = dim_clusters();
        return at.x + (unsigned long long)all.x * (at.y + (unsigned long long)all.y * at.z);
    }
#endif
};
__warpsim_member grid_group this_grid() { return grid_group(); }

class multi_grid_group : public thread_group {
    friend __device__ multi_grid_group this_multi_grid();
    __warpsim_member multi_grid_group() : thread_group(__warpsim::Kind::grids) {}

  public:
    __warpsim_member bool is_valid() const { return false; }
    __warpsim_member void sync() const { __trap(); }
    __warpsim_member unsigned long long num_threads() const { return grid_group::num_threads(); }
    __warpsim_member unsigned long long size() const { return num_threads(); }
    __warpsim_member unsigned long long thread_rank() const { return grid_group::thread_rank(); }
    __warpsim_member unsigned grid_rank() const { return 0; }
    __warpsim_member unsigned num_grids() const { return 1; }
};
[[deprecated("CUDA 13 has no groups of several grids")]] __warpsim_member multi_grid_group
this_multi_grid() {
    return multi_grid_group();
}

__warpsim_member void thread_group::sync() const {
    switch (kind) {
    case __warpsim::Kind::lanes: return __syncwarp(lanes);
    case __warpsim::Kind::warps: return __warpsim::tile_sync(count);
    case __warpsim::Kind::block: return __syncthreads();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    case __warpsim::Kind::cluster: return cluster_group::sync();
#endif
    case __warpsim::Kind::grid: return __warpsim::grid_wait(__warpsim::grid_arrive());
    default: return __trap();
    }
}
__warpsim_member unsigned long long thread_group::num_threads() const {
    switch (kind) {
    case __warpsim::Kind::lanes:
    case __warpsim::Kind::warps: return count;
    case __warpsim::Kind::block: return thread_block::num_threads();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    case __warpsim::Kind::cluster: return cluster_group::num_threads();
#endif
    default: return grid_group::num_threads();
    }
}
__warpsim_member unsigned long long thread_group::thread_rank() const {
    switch (kind) {
    case __warpsim::Kind::lanes: return __popc(lanes & __warpsim::lanes_below());
    case __warpsim::Kind::warps: return __warpsim::rank_in_block() % count;
    case __warpsim::Kind::block: return thread_block::thread_rank();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    case __warpsim::Kind::cluster: return cluster_group::thread_rank();
#endif
    default: return grid_group::thread_rank();
    }
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
