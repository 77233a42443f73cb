// A grid whose threads meet in two halves, grids as groups, and values that a group gives an object
// of its own. With RACY a thread reads what others write between its arrival and its waiting.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

// What `cuda::atomic` has, on these headers alone.
enum class order { relaxed, acquire, release };
struct Cell {
    int value;
    __device__ int load(order) const { return atomicOr((int *)&value, 0); }
    __device__ void store(int v, order) { atomicExch(&value, v); }
    __device__ int fetch_add(int v, order) { return atomicAdd(&value, v); }
    __device__ int fetch_max(int v, order) { return atomicMax(&value, v); }
    __device__ bool compare_exchange_weak(int &old, int v, order, order) {
        int was = atomicCAS(&value, old, v);
        bool is = was == old;
        old = was;
        return is;
    }
};

constexpr int blocks = 6, threads = 64, all = blocks * threads;
__global__ void halves(int *cells, int *out) {
    auto grid = cg::this_grid();
    int t = (int)grid.thread_rank();
    cells[t] = 3 * t;
    auto token = grid.barrier_arrive();
    int own = cells[t];
#ifdef RACY
    out[t] = cells[all - 1 - t] + own; // RACE
#endif
    grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(token));
#ifndef RACY
    out[t] = cells[all - 1 - t] + own;
#endif
    grid.sync();
    cells[t] = out[(t + 77) % all];
}
__device__ unsigned long long met(cg::thread_group group) {
    group.sync();
    return group.size() * 1000 + group.thread_rank();
}
__global__ void places(unsigned long long *out) {
    auto grid = cg::this_grid();
    out += grid.thread_rank() * 8;
    dim3 index = grid.block_index(), dim = grid.dim_blocks(), group = grid.group_dim();
    dim3 thread = grid.thread_index(), of = grid.dim_threads();
    out[0] = grid.is_valid() * 100 + (cg::group_size(grid) == grid.num_threads());
    out[1] = index.x + 10 * index.y + 100 * index.z + 1000 * dim.x + 10000 * dim.y +
             100000 * dim.z + (group.y != dim.y);
    out[2] = grid.block_rank() * 100 + grid.num_blocks();
    out[3] = thread.x + 100 * thread.y + 10000 * thread.z;
    out[4] = of.x + 100 * of.y + 10000 * of.z;
    out[5] = met(grid);
}
__global__ void gathered(Cell *cells, int *out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    cg::reduce_update_async(tile, cells[0], t, cg::plus<int>());
    cg::reduce_update_async(tile, cells[1], t, [](int a, int b) { return a ^ b; });
    cg::reduce_update_async(tile, cells[2], t, cg::greater<int>());
    if (t < 8) cg::reduce_store_async(tile, cells[3], t, cg::plus<int>());
    if (t < 8) cg::reduce_store_async(tile, &out[0], t, cg::greater<int>());
    if (t < 8) out[1 + t] = cg::inclusive_scan_update(tile, cells[4], t);
    cg::this_thread_block().sync();
    if (t < 8) out[9 + t] = cg::exclusive_scan_update(tile, cells[4], t, cg::plus<int>());
}

int wrong = 0;
void is(const char *what, int i, long long got, long long wanted) {
    if (got != wanted && ++wrong <= 20) printf("%s %d: %lld, not %lld\n", what, i, got, wanted);
}
int main() {
    int *cells, *out;
    unsigned long long *at;
    cudaMalloc(&cells, all * sizeof(int));
    cudaMalloc(&out, all * sizeof(int));
    cudaMalloc(&at, all * 8 * sizeof *at);
    std::vector<int> host(all);
    void *arguments[] = {&cells, &out};
    cudaLaunchCooperativeKernel((void *)halves, dim3(blocks), dim3(threads), arguments, 0, 0);
    cudaMemcpy(host.data(), cells, all * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < all; ++t) is("half", t, host[t], 3 * (all - 1));

    std::vector<unsigned long long> place(all * 8);
    void *there[] = {&at};
    cudaLaunchCooperativeKernel((void *)places, dim3(3, 2), dim3(8, 2, 4), there, 0, 0);
    cudaMemcpy(place.data(), at, all * 8 * sizeof *at, cudaMemcpyDeviceToHost);
    for (int t = 0; t < all; ++t) {
        int block = t / 64, x = block % 3, y = block / 3, in = t % 64;
        const unsigned long long *got = &place[t * 8];
        is("valid", t, got[0], 101);
        is("block", t, got[1], x + 10 * y + 3000 + 20000 + 100000);
        is("rank", t, got[2], block * 100 + 6);
        is("thread", t, got[3], x * 8 + in % 8 + 100 * (y * 2 + in / 8 % 2) + 10000 * (in / 16));
        is("threads", t, got[4], 24 + 400 + 40000);
        is("base", t, got[5], all * 1000 + t);
    }

    Cell *objects;
    cudaMalloc(&objects, 5 * sizeof(Cell));
    cudaMemset(objects, 0, 5 * sizeof(Cell));
    gathered<<<1, 64>>>(objects, out);
    cudaMemcpy(host.data(), objects, 5 * sizeof(Cell), cudaMemcpyDeviceToHost);
    int updated[] = {2016, 0, 63, 28, 56};
    for (int i = 0; i < 5; ++i) is("object", i, host[i], updated[i]);
    cudaMemcpy(host.data(), out, 17 * sizeof(int), cudaMemcpyDeviceToHost);
    is("stored", 0, host[0], 7);
    for (int t = 0; t < 8; ++t) {
        is("inclusive", t, host[1 + t], t * (t + 1) / 2);
        is("exclusive", t, host[9 + t], 28 + t * (t - 1) / 2);
    }
    printf(wrong ? "%d are wrong\n" : "grids are right\n", wrong);
    cudaFree(cells);
    cudaFree(out);
    cudaFree(at);
    cudaFree(objects);
    return wrong != 0 || cudaDeviceSynchronize() != cudaSuccess;
}
