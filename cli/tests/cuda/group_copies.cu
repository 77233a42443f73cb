// Copies by groups from global to shared memory, and back: of bytes and of elements, aligned and
// not, in one stage and in two. With RACY a stage is read that nobody has waited for.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

// A size that knows how it is aligned, as libraries have it.
template <size_t n> struct aligned {
    size_t bytes;
    __device__ operator size_t() const { return bytes; }
};

constexpr int threads = 96, stages = 5, elements = 50;
__global__ void copies(const int *in, const unsigned char *bytes, int *out, int *back) {
    __shared__ __align__(16) int cells[2][threads];
    __shared__ __align__(16) unsigned char text[3][80];
    __shared__ __align__(16) double pairs[threads / 32][16];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int t = threadIdx.x, sum = 0;

    // One stage is copied while the one before is read.
    cg::memcpy_async(block, cells[0], in, sizeof(int) * block.size());
    for (int stage = 0; stage < stages; ++stage) {
        if (stage + 1 < stages) {
            cg::memcpy_async(block, cells[(stage + 1) % 2], in + (stage + 1) * threads,
                             sizeof(int) * threads);
#ifndef RACY
            cg::wait_prior<1>(block);
#endif
        } else {
            cg::wait(block);
        }
        sum = sum * 3 + cells[stage % 2][(t + 17) % threads]; // RACE
        block.sync();
    }
    out[t] = sum;

    // Elements: as many as both have. Bytes: from an odd address, and to one.
    cg::memcpy_async(tile, pairs[t / 32], 16, (const double *)in + t / 32, elements);
    cg::wait(tile);
    out[threads + t] = (int)(pairs[t / 32][t % 16] * 4);
    cg::memcpy_async(block, text[0], bytes + 1, 77);
    cg::memcpy_async(block, text[1] + 3, bytes + 3, 70);
    cg::memcpy_async(block, (void *)text[2], (const void *)(bytes + 4), aligned<4>{67});
    cg::wait(block);
    if (t < 60)
        out[2 * threads + t] = text[0][t] + 1000 * text[1][t + 3] + 1000000 * text[2][t + 7];

    // Threads that are no tile, and memory that is not shared.
    auto group = cg::binary_partition(tile, t % 3 == 0);
    if (t % 3 == 0) {
        cg::memcpy_async(group, cells[0] + t / 32 * 32, in + t / 32 * 32, 32 * sizeof(int));
        cg::wait(group);
    }
    block.sync();
    cg::memcpy_async(block, back, cells[0], sizeof(int) * threads);
    cg::wait(block);
}
int main() {
    std::vector<int> in(stages * threads), out(3 * threads), back(threads);
    std::vector<unsigned char> bytes(128);
    std::vector<double> doubles(in.size() / 2);
    for (size_t i = 0; i < doubles.size(); ++i) doubles[i] = i * 0.25 - 7;
    memcpy(in.data(), doubles.data(), in.size() * sizeof(int));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = i * 37;
    int *device_in, *device_out, *device_back;
    unsigned char *device_bytes;
    cudaMalloc(&device_in, in.size() * sizeof(int));
    cudaMalloc(&device_out, out.size() * sizeof(int));
    cudaMalloc(&device_back, back.size() * sizeof(int));
    cudaMalloc(&device_bytes, bytes.size());
    cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(device_bytes, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    cudaMemset(device_out, 0, out.size() * sizeof(int));
    copies<<<1, threads>>>(device_in, device_bytes, device_out, device_back);
    cudaMemcpy(out.data(), device_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(back.data(), device_back, back.size() * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int t = 0; t < threads; ++t) {
        int sum = 0;
        for (int stage = 0; stage < stages; ++stage)
            sum = (int)(sum * 3u + in[stage * threads + (t + 17) % threads]);
        wrong += out[t] != sum;
        wrong += out[threads + t] != (int)(doubles[t / 32 + t % 16] * 4);
        wrong += t < 60 && out[2 * threads + t] !=
                               bytes[t + 1] + 1000 * bytes[t + 3] + 1000000 * bytes[t + 11];
        wrong += back[t] != in[t];
    }
    printf(wrong ? "%d are wrong\n" : "copies are right\n", wrong);
    cudaFree(device_in);
    cudaFree(device_out);
    cudaFree(device_back);
    cudaFree(device_bytes);
    return wrong != 0 || cudaDeviceSynchronize() != cudaSuccess;
}
