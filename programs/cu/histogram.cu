// A histogram: each block counts in shared memory, then adds what it has to the whole. With RACY counting is no atomic.
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

constexpr int bins = 64;

__global__ void count(const uint8_t *values, int n, unsigned *counts)
{
    __shared__ unsigned own[bins];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
#ifdef RACY
        own[values[i] % bins]++; // RACE
#else
        atomicAdd(&own[values[i] % bins], 1u);
#endif
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        atomicAdd(&counts[bin], own[bin]);
}

int main()
{
    std::mt19937 random(7);
    std::vector<uint8_t> values(20000);
    std::array<unsigned, bins> wanted{}, found{};
    for (auto &value : values) {
        value = random();
        wanted[value % bins]++;
    }
    uint8_t *on_values;
    unsigned *on_counts;
    cudaMalloc(&on_values, values.size());
    cudaMalloc(&on_counts, sizeof found);
    cudaMemcpy(on_values, values.data(), values.size(), cudaMemcpyHostToDevice);
    cudaMemset(on_counts, 0, sizeof found);
    count<<<8, 128>>>(on_values, (int)values.size(), on_counts);
    cudaMemcpy(found.data(), on_counts, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(on_values);
    cudaFree(on_counts);
    std::printf("%zu values in %d bins: %s\n", values.size(), bins, found == wanted ? "right" : "wrong");
    return found == wanted ? 0 : 1;
}
