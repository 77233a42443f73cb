// Prices of options (Black and Scholes), and the mean of them by tiles of cooperative groups. With RACY every tile of a block
// writes its mean to the same place.
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__host__ __device__ double normal(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }

__host__ __device__ double call(double spot, double strike, double rate, double volatility, double years)
{
    double deviation = volatility * sqrt(years);
    double d = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
    return spot * normal(d) - strike * exp(-rate * years) * normal(d - deviation);
}

__global__ void price(const double *strikes, double *prices, double *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    prices[i] = call(100, strikes[i], 0.03, 0.2, 1.5);
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    __shared__ double of_tiles[32];
    double sum = cg::reduce(tile, prices[i], cg::plus<double>());
    if (tile.thread_rank() == 0)
#ifdef RACY
        of_tiles[0] = sum; // RACE
#else
        of_tiles[tile.meta_group_rank()] = sum;
#endif
    block.sync();
    if (block.thread_rank() == 0) {
        double all = 0;
        for (unsigned t = 0; t < tile.meta_group_size(); ++t)
            all += of_tiles[t];
        sums[blockIdx.x] = all;
    }
}

int main()
{
    const int n = 512, threads = 128;
    std::vector<double> strikes(n), prices(n), sums(n / threads);
    double wanted = 0, worst = 0, sum = 0;
    for (int i = 0; i < n; ++i)
        wanted += call(100, strikes[i] = 50 + 0.2 * i, 0.03, 0.2, 1.5);
    double *on_strikes, *on_prices, *on_sums;
    cudaMalloc(&on_strikes, n * sizeof(double));
    cudaMalloc(&on_prices, n * sizeof(double));
    cudaMalloc(&on_sums, sums.size() * sizeof(double));
    cudaMemcpy(on_strikes, strikes.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    price<<<n / threads, threads>>>(on_strikes, on_prices, on_sums);
    cudaMemcpy(prices.data(), on_prices, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums.data(), on_sums, sums.size() * sizeof(double), cudaMemcpyDeviceToHost);
    for (double *memory : {on_strikes, on_prices, on_sums})
        cudaFree(memory);
    for (int i = 0; i < n; ++i)
        worst = std::fmax(worst, std::fabs(prices[i] - call(100, strikes[i], 0.03, 0.2, 1.5)));
    for (double of_block : sums)
        sum += of_block;
    bool is_right = worst < 1e-11 && std::fabs(sum - wanted) < 1e-8 * wanted;
    std::printf("the mean price is %.6f: %s\n", sum / n, is_right ? "right" : "wrong");
    return is_right ? 0 : 1;
}
