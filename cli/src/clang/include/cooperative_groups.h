// Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups"): blocks, tiles, coalesced threads, grids; shuffles,
// votes and matches of tiles, `reduce`, `invoke_one`. A grid can be synchronised in a cooperative launch, as on hardware;
// elsewhere it never comes to an end. Clusters, `memcpy_async`, scans and barriers that are objects are missing.
#pragma once
#include "warpsim_cuda.h"

namespace cooperative_groups {

class thread_block {
  public:
    __device__ void sync() const { __syncthreads(); }
    __device__ unsigned thread_rank() const {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    __device__ unsigned num_threads() const { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ unsigned size() const { return num_threads(); }
    __device__ dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ dim3 dim_threads() const { return group_dim(); }
};
__warpsim_device thread_block this_thread_block() { return {}; }

namespace __warpsim {
// How many blocks have come to a barrier of the grid, and how many barriers have been passed.
static __device__ unsigned come, passed;
__warpsim_device unsigned lane() {
    unsigned lane;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__warpsim_device unsigned below() { return (1u << lane()) - 1; }
} // namespace __warpsim

class grid_group {
  public:
    // Whether the launch is a cooperative one: only then has the grid a workspace, whose address is in these registers.
    __device__ bool is_valid() const {
        unsigned high, low;
        __asm__("mov.u32 %0, %%envreg1;" : "=r"(high));
        __asm__("mov.u32 %0, %%envreg2;" : "=r"(low));
        return (high | low) != 0;
    }
    __device__ unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __device__ unsigned long long block_rank() const {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    __device__ unsigned long long thread_rank() const {
        return block_rank() * this_thread_block().size() + this_thread_block().thread_rank();
    }
    __device__ unsigned long long num_threads() const { return num_blocks() * this_thread_block().size(); }
    __device__ unsigned long long size() const { return num_threads(); }
    __device__ dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ dim3 dim_blocks() const { return group_dim(); }
    __device__ dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ void sync() const {
        // CUDA's headers end the kernel, too.
        if (!is_valid()) __trap();
        __syncthreads();
        if (this_thread_block().thread_rank() == 0) {
            unsigned before, now;
            __asm__ volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(before) : "l"(&__warpsim::passed) : "memory");
            __threadfence();
            if (atomicAdd(&__warpsim::come, 1u) == num_blocks() - 1) {
                atomicExch(&__warpsim::come, 0u);
                __threadfence();
                atomicAdd(&__warpsim::passed, 1u);
            } else {
                do {
                    __asm__ volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(&__warpsim::passed) : "memory");
                } while (now == before);
            }
            __threadfence();
        }
        __syncthreads();
    }
};
__warpsim_device grid_group this_grid() { return {}; }

// Threads of one warp, by their lanes.
class __warpsim_threads {
  protected:
    unsigned lanes;
    __device__ explicit __warpsim_threads(unsigned lanes) : lanes(lanes) {}

  public:
    __device__ void sync() const { __syncwarp(lanes); }
    __device__ unsigned thread_rank() const { return __builtin_popcount(lanes & __warpsim::below()); }
    __device__ unsigned num_threads() const { return __builtin_popcount(lanes); }
    __device__ unsigned size() const { return num_threads(); }
    __device__ int any(int p) const { return __any_sync(lanes, p); }
    __device__ int all(int p) const { return __all_sync(lanes, p); }
    // Of the group's threads, from its first one on.
    __device__ unsigned packed(unsigned found) const {
        unsigned to = 0, packed = 0;
        for (unsigned rest = lanes; rest != 0; rest &= rest - 1, ++to) packed |= ((found & rest & (0u - rest)) != 0) << to;
        return packed;
    }
};

class coalesced_group : public __warpsim_threads {
    __device__ unsigned nth(unsigned n) const {
        unsigned rest = lanes;
        for (; n > 0; --n) rest &= rest - 1;
        return __builtin_ctz(rest);
    }

  public:
    __device__ explicit coalesced_group(unsigned lanes) : __warpsim_threads(lanes) {}
    __device__ unsigned ballot(int p) const { return packed(__ballot_sync(lanes, p)); }
    template <class T> __device__ unsigned match_any(T v) const { return packed(__match_any_sync(lanes, v)); }
    template <class T> __device__ unsigned match_all(T v, int &p) const { return packed(__match_all_sync(lanes, v, &p)); }
    template <class T> __device__ T shfl(T v, int from) const { return __shfl_sync(lanes, v, nth(from)); }
    template <class T> __device__ T shfl_up(T v, unsigned by) const {
        bool is = thread_rank() >= by;
        return __shfl_sync(lanes, v, is ? nth(thread_rank() - by) : __warpsim::lane());
    }
    template <class T> __device__ T shfl_down(T v, unsigned by) const {
        bool is = thread_rank() + by < size();
        return __shfl_sync(lanes, v, is ? nth(thread_rank() + by) : __warpsim::lane());
    }
};
__warpsim_device coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// Whose parent a tile is, which its type says and nothing else.
template <unsigned N, class Parent = void> class thread_block_tile : public __warpsim_threads {
    static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16 || N == 32, "a tile has 1, 2, 4, 8, 16 or 32 threads");

  public:
    __device__ thread_block_tile()
        : __warpsim_threads((N == 32 ? 0xffffffffu : (1u << N % 32) - 1) << (__warpsim::lane() / N * N)) {}
    template <class Other> __device__ thread_block_tile(const thread_block_tile<N, Other> &) : thread_block_tile() {}
    __device__ unsigned thread_rank() const { return __warpsim::lane() % N; }
    __device__ static constexpr unsigned num_threads() { return N; }
    __device__ static constexpr unsigned size() { return N; }
    __device__ unsigned meta_group_rank() const { return this_thread_block().thread_rank() / N; }
    __device__ unsigned meta_group_size() const { return (this_thread_block().size() + N - 1) / N; }
    __device__ unsigned ballot(int p) const { return __ballot_sync(lanes, p) >> (__warpsim::lane() / N * N) & (0xffffffffu >> (32 - N)); }
    template <class T> __device__ unsigned match_any(T v) const { return packed(__match_any_sync(lanes, v)); }
    template <class T> __device__ unsigned match_all(T v, int &p) const { return packed(__match_all_sync(lanes, v, &p)); }
    template <class T> __device__ T shfl(T v, int from) const { return __shfl_sync(lanes, v, from, N); }
    template <class T> __device__ T shfl_up(T v, unsigned by) const { return __shfl_up_sync(lanes, v, by, N); }
    template <class T> __device__ T shfl_down(T v, unsigned by) const { return __shfl_down_sync(lanes, v, by, N); }
    template <class T> __device__ T shfl_xor(T v, unsigned by) const { return __shfl_xor_sync(lanes, v, by, N); }
};
template <unsigned N, class Parent> __device__ __inline__ thread_block_tile<N, Parent> tiled_partition(const Parent &) {
    return {};
}
// A size that is known when it runs: threads of a warp.
class thread_group : public __warpsim_threads {
  public:
    __device__ explicit thread_group(unsigned lanes) : __warpsim_threads(lanes) {}
};
template <class Parent> __device__ __inline__ thread_group tiled_partition(const Parent &, unsigned n) {
    return thread_group((n == 32 ? 0xffffffffu : (1u << n % 32) - 1) << (__warpsim::lane() / n * n));
}
template <class Group> __device__ __inline__ coalesced_group binary_partition(const Group &group, bool p) {
    unsigned mask = __activemask();
    (void)group;
    unsigned with = __ballot_sync(mask, p);
    return coalesced_group(p ? with : mask & ~with);
}
template <class Group, class T> __device__ __inline__ coalesced_group labeled_partition(const Group &group, T label) {
    (void)group;
    return coalesced_group(__match_any_sync(__activemask(), label));
}

template <class Group> __device__ __inline__ void sync(const Group &group) { group.sync(); }
template <class Group> __device__ __inline__ unsigned thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> __device__ __inline__ unsigned group_size(const Group &group) { return group.size(); }
template <class Group, class F> __device__ __inline__ void invoke_one(const Group &group, F &&f) {
    if (group.thread_rank() == 0) f();
}

// The operations of `reduce`.
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };

// Of a tile's threads: halves after halves.
template <unsigned N, class Parent, class T, class F>
__device__ __inline__ T reduce(const thread_block_tile<N, Parent> &tile, T v, F f) {
    for (unsigned by = N / 2; by > 0; by /= 2) v = f(v, tile.shfl_xor(v, by));
    return v;
}
// Of coalesced threads: the first one takes all in their order.
template <class T, class F> __device__ __inline__ T reduce(const coalesced_group &group, T v, F f) {
    T all = group.shfl(v, 0);
    for (unsigned rank = 1; rank < group.size(); ++rank) all = f(all, group.shfl(v, rank));
    return all;
}

} // namespace cooperative_groups
