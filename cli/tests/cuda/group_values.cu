// What groups of threads of a warp give, against loops on the host that know a group as a list of
// threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>
namespace cg = cooperative_groups;

constexpr int threads = 96, results = 32;
__host__ __device__ int number(int t) { return t * 7919 % 1009 - 400; }
__host__ __device__ bool is_in(int t) { return t * t % 5 != 1; }
struct Wide {
    long long a;
    int b;
    short c;
    char d[18];
};
__host__ __device__ Wide wide(int t) {
    Wide w = {t * 1000000007ll, -t, (short)(3 * t), {}};
    for (int i = 0; i < 18; ++i) w.d[i] = t + i;
    return w;
}
__host__ __device__ int digest(const Wide &w) {
    int sum = (int)(w.a ^ w.a >> 32) + w.b * 3 + w.c * 5;
    for (int i = 0; i < 18; ++i) sum = sum * 31 + w.d[i];
    return sum;
}

// Slots 0 to 24: what tiles and coalesced groups both have.
template <class Group> __device__ void common(const Group &group, int t, int *out) {
    int v = number(t), n = group.size(), rank = group.thread_rank(), same;
    out[0] = rank;
    out[1] = n;
    out[2] = group.shfl(v, (rank + 3) % n);
    out[3] = group.shfl_up(v, 2);
    out[4] = group.shfl_down(v, 2);
    out[5] = digest(group.shfl(wide(t), n - 1));
    out[6] = group.any(v % 7 == 0);
    out[7] = group.all(v % 7 != 0);
    out[8] = group.ballot(v % 3 == 0);
    out[9] = group.match_any(v & 3);
    out[10] = group.match_all(v >> 31, same);
    out[11] = same;
    out[12] = cg::reduce(group, v, cg::plus<int>());
    out[13] = cg::reduce(group, v, cg::less<int>());
    out[14] = cg::reduce(group, v, cg::greater<int>());
    out[15] = cg::reduce(group, (unsigned)v, cg::bit_and<unsigned>());
    out[16] = cg::reduce(group, (short)v, cg::bit_or<short>());
    out[17] = cg::reduce(group, (long long)v, cg::bit_xor<long long>());
    out[18] = (int)cg::reduce(group, 0.5 * v, [](double a, double b) { return a + b; });
    out[19] = cg::inclusive_scan(group, v);
    out[20] = cg::exclusive_scan(group, v);
    out[21] = cg::inclusive_scan(group, v, cg::greater<int>());
    out[22] = cg::exclusive_scan(group, (float)v, [](float a, float b) { return a < b ? a : b; });
    out[23] = cg::invoke_one_broadcast(group, [](int n) { return n + 5; }, n);
    out[24] = group.match_any((double)(v % 2)) + group.shfl((char)v, 0);
    cg::invoke_one(group, [](int *sum, int v) { atomicAdd(sum, v); }, out + 25, 1);
    group.sync();
}
template <int n> __global__ void tiles(int *out) {
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    out += t * results;
    auto tile = cg::tiled_partition<n>(block);
    common(tile, t, out);
    cg::thread_block_tile<n> bare = tile;
    out[26] = tile.meta_group_rank() * 1000 + bare.meta_group_rank();
    out[27] = tile.meta_group_size() * 1000 + bare.meta_group_size();
    out[28] = tile.shfl_xor(number(t), n / 2) + tile.shfl_xor(1.5f, 0);
    auto half = cg::tiled_partition<(n + 1) / 2>(bare);
    out[29] = half.meta_group_rank() * 100 + half.meta_group_size() * 10 + half.size();
}
__global__ void lanes(int *out) {
    int t = cg::this_thread_block().thread_rank();
    out += t * results;
    if (!is_in(t)) return;
    cg::coalesced_group group = cg::coalesced_threads();
    common(group, t, out);
    cg::coalesced_group part = cg::tiled_partition(group, 4);
    out[26] = part.meta_group_rank() * 10000 + part.meta_group_size() * 1000 + part.size() * 100 +
              part.thread_rank();
    out[27] = cg::reduce(part, number(t), cg::plus<int>());
    cg::coalesced_group label = cg::labeled_partition(group, number(t) & 3);
    out[28] = label.meta_group_rank() * 10000 + label.meta_group_size() * 1000 +
              label.size() * 100 + label.thread_rank();
    cg::coalesced_group odd = cg::binary_partition(group, number(t) & 1);
    out[29] = odd.meta_group_rank() * 10000 + odd.meta_group_size() * 1000 + odd.size() * 100 +
              odd.thread_rank();
}
// A group as its base: its kind is known when it runs.
__device__ int place(const cg::thread_group &group) {
    group.sync();
    cg::sync(group);
    return (int)(group.size() * 1000 + group.thread_rank() + cg::group_size(group) -
                 group.num_threads());
}
__device__ int by_value(cg::thread_group group) { return place(group) - cg::thread_rank(group); }
__global__ void bases(int *out, unsigned n) {
    cg::thread_block block = cg::this_thread_block();
    out += block.thread_rank() * results;
    out[0] = place(block);
    cg::thread_group tile = cg::tiled_partition(block, n);
    out[1] = place(tile);
    out[2] = by_value(cg::tiled_partition(tile, n / 2));
    out[3] = place(cg::tiled_partition<2>(block));
    out[4] = by_value(cg::tiled_partition<4>(block));
    if (block.thread_rank() % 2) out[5] = place(cg::coalesced_threads());
    out[6] = place(cg::this_thread());
    dim3 at = block.thread_index(), of = block.dim_threads(), group = block.group_dim();
    out[7] = at.x + 10 * at.y + 100 * at.z + 1000 * of.x + 10000 * of.y + 100000 * of.z +
             (group.x != of.x);
    out[8] = block.group_index().x + block.size() * 10;
    auto token = block.barrier_arrive();
    block.barrier_wait(static_cast<cg::thread_block::arrival_token &&>(token));
}

typedef std::vector<int> Threads;
int wrong = 0;
void is(const char *what, int n, int t, int slot, long long got, long long wanted) {
    if (got == wanted || ++wrong > 20) return;
    printf("%s of %d, thread %d, result %d: %lld, not %lld\n", what, n, t, slot, got, wanted);
}
template <class F> unsigned those(const Threads &group, F f) {
    unsigned bits = 0;
    for (size_t i = 0; i < group.size(); ++i) bits |= (unsigned)f(group[i]) << i;
    return bits;
}
template <class T, class F> T all(const Threads &group, int upto, F f) {
    T sum = number(group[0]);
    for (int i = 1; i <= upto; ++i) sum = f(sum, (T)number(group[i]));
    return sum;
}
void expect_common(const char *what, const Threads &group, const int *all_out) {
    int n = group.size(), last = n - 1;
    for (int rank = 0; rank < n; ++rank) {
        int t = group[rank], v = number(t);
        const int *out = all_out + t * results;
        auto one = [&](int slot, long long wanted) {
            is(what, n, t, slot, out[slot], (int)wanted);
        };
        one(0, rank);
        one(1, n);
        one(2, number(group[(rank + 3) % n]));
        one(3, number(group[rank < 2 ? rank : rank - 2]));
        one(4, number(group[rank + 2 > last ? rank : rank + 2]));
        one(5, digest(wide(group[last])));
        one(6, those(group, [](int t) { return number(t) % 7 == 0; }) != 0);
        one(7, those(group, [](int t) { return number(t) % 7 == 0; }) == 0);
        one(8, those(group, [](int t) { return number(t) % 3 == 0; }));
        one(9, those(group, [v](int t) { return (number(t) & 3) == (v & 3); }));
        unsigned same = those(group, [v](int t) { return number(t) >> 31 == v >> 31; });
        unsigned full = n == 32 ? ~0u : (1u << n) - 1;
        one(10, same == full ? full : 0);
        one(11, same == full);
        one(12, all<int>(group, last, std::plus<int>()));
        one(13, all<int>(group, last, [](int a, int b) { return std::min(a, b); }));
        one(14, all<int>(group, last, [](int a, int b) { return std::max(a, b); }));
        one(15, all<unsigned>(group, last, std::bit_and<unsigned>()));
        one(16, all<short>(group, last, std::bit_or<short>()));
        one(17, all<long long>(group, last, std::bit_xor<long long>()));
        one(18, (int)(0.5 * all<int>(group, last, std::plus<int>())));
        one(19, all<int>(group, rank, std::plus<int>()));
        one(20, rank == 0 ? 0 : all<int>(group, rank - 1, std::plus<int>()));
        one(21, all<int>(group, rank, [](int a, int b) { return std::max(a, b); }));
        one(22,
            rank == 0 ? 0 : all<int>(group, rank - 1, [](int a, int b) { return std::min(a, b); }));
        one(23, n + 5);
        one(24,
            those(group, [v](int t) { return number(t) % 2 == v % 2; }) + (char)number(group[0]));
    }
    int ones = 0;
    for (int t : group) ones += all_out[t * results + 25];
    is(what, n, group[0], 25, ones, 1);
}
Threads from(int first, int n) {
    Threads group(n);
    std::iota(group.begin(), group.end(), first);
    return group;
}

int *out, *host;
void clear() { cudaMemset(out, 0, threads * results * sizeof(int)); }
void fetch() { cudaMemcpy(host, out, threads * results * sizeof(int), cudaMemcpyDeviceToHost); }
template <int n> void check_tiles() {
    clear();
    tiles<n><<<1, dim3(8, 4, 3)>>>(out);
    fetch();
    for (int t = 0; t < threads; t += n) expect_common("tile", from(t, n), host);
    for (int t = 0; t < threads; ++t) {
        const int *got = host + t * results;
        is("tile", n, t, 26, got[26], t / n * 1001);
        is("tile", n, t, 27, got[27], (threads + n - 1) / n * 1001);
        is("tile", n, t, 28, got[28], (int)(number(t / n * n + (t % n ^ n / 2) % n) + 1.5f));
        int half = (n + 1) / 2;
        is("tile", n, t, 29, got[29], t % n / half * 100 + n / half * 10 + half);
    }
}
int coded(const std::vector<Threads> &parts, int t) {
    for (size_t i = 0; i < parts.size(); ++i)
        for (size_t rank = 0; rank < parts[i].size(); ++rank)
            if (parts[i][rank] == t)
                return i * 10000 + parts.size() * 1000 + parts[i].size() * 100 + rank;
    return -1;
}
int main() {
    cudaMalloc(&out, threads * results * sizeof(int));
    host = (int *)malloc(threads * results * sizeof(int));
    check_tiles<1>();
    check_tiles<2>();
    check_tiles<4>();
    check_tiles<8>();
    check_tiles<16>();
    check_tiles<32>();

    clear();
    lanes<<<1, threads>>>(out);
    fetch();
    for (int warp = 0; warp < threads; warp += 32) {
        Threads group;
        for (int t = warp; t < warp + 32; ++t)
            if (is_in(t)) group.push_back(t);
        expect_common("coalesced", group, host);
        std::vector<Threads> fours, labels, halves(2);
        for (size_t i = 0; i < group.size(); ++i) {
            if (i % 4 == 0) fours.emplace_back();
            fours.back().push_back(group[i]);
            halves[number(group[i]) & 1].push_back(group[i]);
            size_t l = 0;
            while (l < labels.size() && (number(labels[l][0]) & 3) != (number(group[i]) & 3)) ++l;
            if (l == labels.size()) labels.emplace_back();
            labels[l].push_back(group[i]);
        }
        for (int t : group) {
            const int *got = host + t * results;
            is("coalesced", 4, t, 26, got[26], coded(fours, t));
            for (auto &four : fours)
                for (int member : four)
                    if (member == t)
                        is("coalesced", 4, t, 27, got[27],
                           all<int>(four, four.size() - 1, std::plus<int>()));
            is("labeled", 0, t, 28, got[28], coded(labels, t));
            is("binary", 0, t, 29, got[29], coded(halves, t));
        }
    }

    clear();
    bases<<<1, dim3(3, 4, 8)>>>(out, 8);
    fetch();
    for (int t = 0; t < threads; ++t) {
        const int *got = host + t * results;
        int wanted[] = {threads * 1000 + t,
                        8000 + t % 8,
                        4000,
                        2000 + t % 2,
                        4000,
                        t % 2 ? 16000 + t % 32 / 2 : 0,
                        1000,
                        t % 3 + 10 * (t / 3 % 4) + 100 * (t / 12) + 843000,
                        threads * 10};
        for (int i = 0; i < 9; ++i) is("base", 8, t, i, got[i], wanted[i]);
    }
    printf(wrong ? "%d are wrong\n" : "groups are right\n", wrong);
    cudaFree(out);
    return wrong != 0 || cudaDeviceSynchronize() != cudaSuccess;
}
