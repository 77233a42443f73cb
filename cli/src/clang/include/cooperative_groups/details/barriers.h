// The barriers of groups that have more threads than a warp: of a block, a grid, a cluster, and a
// tile of several warps.
#pragma once
#include "lanes.h"

namespace cooperative_groups {
namespace __v1 {
namespace __warpsim {

// A thread in its block, and the block's threads.
__warpsim_device unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__warpsim_device unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
__warpsim_device unsigned long long blocks_of_grid() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
}
__warpsim_device unsigned long long rank_of_block() {
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
}

// A cooperative launch has a workspace, whose address is in these registers, and no other launch
// has. Its second word is the barrier of the grid.
__warpsim_device unsigned *workspace() {
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (unsigned *)((unsigned long long)high << 32 | low);
}

// CUDA's headers end such a kernel, too. This has a line of its own, by which the trap is known.
__device__ __inline__ __attribute__((always_inline)) void need_cooperative_launch() {
    if (workspace() == nullptr) __trap();
}

// Each block adds one; the first adds what makes 2^31 of all that they add. The highest bit changes
// when all have come.
__warpsim_device unsigned grid_arrive() {
    need_cooperative_launch();
    __syncthreads();
    unsigned before = 0;
    if (rank_in_block() == 0) {
        bool is_first = rank_of_block() == 0;
        __threadfence();
        before = atomicAdd(workspace() + 1,
                           is_first ? 0x80000000u - ((unsigned)blocks_of_grid() - 1) : 1u);
    }
    return before;
}
__warpsim_device void grid_wait(unsigned before) {
    if (rank_in_block() == 0) {
        unsigned now;
        do {
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];"
                             : "=r"(now)
                             : "l"(workspace() + 1)
                             : "memory");
        } while (((now ^ before) & 0x80000000) == 0);
        __threadfence();
    }
    __syncthreads();
}

// A cluster's barrier is an instruction from sm_90 on.
__warpsim_device void cluster_arrive() {
    asm volatile("barrier.cluster.arrive;" : : : "memory");
}
__warpsim_device void cluster_wait() { asm volatile("barrier.cluster.wait;" : : : "memory"); }

// A block has barriers 1 to 15 for its tiles: in a block of at most 512 threads one for each tile
// of 512, 256, 128 and 64 threads, in a larger one for each tile of 1024, 512, 256 and 128. Tiles
// of 64 threads have a word of shared memory there, which counts the warps that have come.
__warpsim_device bool is_pair(unsigned size) { return size == 64 && threads_of_block() > 512; }
__warpsim_device unsigned *pair_word() {
    static __shared__ unsigned words[16];
    return words + rank_in_block() / 64;
}
__warpsim_device void pair_sync() {
    unsigned *word = pair_word();
    __syncwarp();
    if (lane() == 0) {
        __threadfence_block();
        unsigned before = atomicAdd_block(word, 1u), now;
        do {
            asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
        } while (now / 2 == before / 2);
        __threadfence_block();
    }
    __syncwarp();
}
__warpsim_device void tile_sync(unsigned size) {
    if (is_pair(size)) return pair_sync();
    unsigned largest = threads_of_block() > 512 ? 1024 : 512;
    __barrier_sync_count(largest / size + rank_in_block() / size, size);
}

// What warps tell each other: 32 bytes of each.
__warpsim_device void *told_by(unsigned warp) {
    static __shared__ unsigned long long told[32][4];
    return told[warp];
}

} // namespace __warpsim
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
