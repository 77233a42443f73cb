// Tiles of several warps, in blocks of several sizes, against loops on the host. With MEET threads
// only write, meet and read: clean, and with RACY they do not meet before they read.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstring>
#include <vector>
namespace cg = cooperative_groups;

constexpr int results = 20;
__host__ __device__ int number(int t) { return t * 7919 % 1009 - 400; }
struct Wide {
    long long a, b, c, d;
};

__device__ int by_value(cg::thread_group group) {
    group.sync();
    return (int)(group.size() * 10000 + group.thread_rank());
}
// Each tile takes as many turns as it likes.
template <int n> __global__ void meet(int *out) {
    __shared__ int cells[1024];
    auto tile = cg::tiled_partition<n>(cg::this_thread_block());
    int t = threadIdx.x, sum = 0;
    for (int turn = 0; turn <= (int)tile.meta_group_rank() % 3; ++turn) {
        cells[t] = number(t) + turn; // RACE
#ifndef RACY
        tile.sync();
#endif
        sum += cells[t / n * n + (t + 33) % n]; // RACE
        tile.sync();
    }
    out[t] = sum + cg::reduce(tile, 1, cg::plus<int>());
}
template <int n> __global__ void tiles(int *out) {
    __shared__ cg::block_tile_memory<1024> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<n>(block);
    int t = block.thread_rank(), v = number(t);
    out += t * results;
    out[1] = tile.thread_rank();
    out[2] = tile.size() + tile.num_threads();
    out[3] = tile.meta_group_rank() * 100 + tile.meta_group_size();
    out[4] = tile.shfl(v, n - 2);
    Wide wide = tile.shfl(Wide{t, 2 * t, 3 * t, 4ll * t << 20}, 5);
    out[5] = wide.a + wide.b + wide.c + (wide.d >> 20);
    out[6] = tile.any(t % n == n - 1) * 10 + tile.any(t < 0);
    out[7] = tile.all(t >= 0) * 10 + tile.all(t % n != n - 1);
    out[8] = cg::reduce(tile, v, cg::plus<int>());
    out[9] = cg::reduce(tile, (short)v, cg::less<short>());
    out[10] = (int)cg::reduce(tile, 0.25 * v, [](double a, double b) { return a + b; });
    out[11] = cg::inclusive_scan(tile, v);
    out[12] = cg::exclusive_scan(tile, v);
    out[13] = (int)cg::inclusive_scan(tile, (float)v, cg::greater<float>());
    out[14] = (int)cg::exclusive_scan(tile, (float)v, cg::greater<float>());
    out[15] = by_value(tile);
    cg::thread_block_tile<n> bare = tile;
    auto half = cg::tiled_partition<n / 2>(bare);
    out[16] = half.meta_group_rank() * 100 + half.meta_group_size();
    out[17] = cg::reduce(half, v, cg::greater<int>());
    out[18] = cg::invoke_one_broadcast(tile, [](int t) { return t / n + 7; }, t);
    auto warp = cg::tiled_partition<32>(tile);
    out[19] = warp.meta_group_rank() * 100 + warp.meta_group_size();
}

int wrong = 0;
void is(int n, int block, int t, int slot, int got, int wanted) {
    if (got == wanted || ++wrong > 20) return;
    printf("tile of %d in %d, thread %d, result %d: %d, not %d\n", n, block, t, slot, got, wanted);
}
template <int n> void check_meet(int block) {
    std::vector<int> host(block);
    int *out;
    cudaMalloc(&out, block * sizeof(int));
    meet<n><<<1, block>>>(out);
    cudaMemcpy(host.data(), out, block * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int t = 0; t < block; ++t) {
        int turns = t / n % 3 + 1;
        is(n, block, t, 0, host[t],
           turns * number(t / n * n + (t + 33) % n) + turns * (turns - 1) / 2 + n);
    }
}
template <int n> void check(int block) {
    size_t bytes = block * results * sizeof(int);
    int *out;
    cudaMalloc(&out, bytes);
    tiles<n><<<1, dim3(block / 4, 4)>>>(out);
    std::vector<int> host(block * results);
    cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int first = 0; first < block; first += n) {
        int sum = 0, least = 32767, most = -32768, so_far = 0;
        for (int t = first; t < first + n; ++t) {
            sum += number(t);
            least = number(t) < least ? number(t) : least;
        }
        for (int t = first; t < first + n; ++t) {
            auto one = [&](int slot, int wanted) {
                is(n, block, t, slot, host[t * results + slot], wanted);
            };
            int meta = first / n, of_half = -32768, before = t == first ? 0 : most;
            one(1, t - first);
            one(2, 2 * n);
            one(3, meta * 100 + block / n);
            one(4, number(first + n - 2));
            one(5, 10 * (first + 5));
            one(6, 10);
            one(7, 10);
            one(8, sum);
            one(9, least);
            one(10, (int)(0.25 * sum));
            one(12, so_far);
            so_far += number(t);
            most = number(t) > most ? number(t) : most;
            one(11, so_far);
            one(13, most);
            one(14, before);
            one(15, n * 10000 + t - first);
            int half = t / (n / 2) * (n / 2);
            for (int i = half; i < half + n / 2; ++i)
                of_half = number(i) > of_half ? number(i) : of_half;
            one(16, (half - first) / (n / 2) * 100 + 2);
            one(17, of_half);
            one(18, meta + 7);
            one(19, (t - first) / 32 * 100 + n / 32);
        }
    }
}
int main() {
#ifdef MEET
    check_meet<64>(128);
    check_meet<64>(576);
    check_meet<128>(256);
#else
    for (int block : {128, 512, 1024}) {
        check<64>(block);
        check<128>(block);
        if (block >= 512) {
            check<256>(block);
            check<512>(block);
        }
    }
    check<1024>(1024);
#endif
    printf(wrong ? "%d are wrong\n" : "tiles are right\n", wrong);
    return wrong != 0 || cudaDeviceSynchronize() != cudaSuccess;
}
