// Heat on a rod: a cooperative kernel that computes all steps, with a barrier of the grid after each. With RACY the barrier is
// the block's.
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <utility>
#include <vector>
namespace cg = cooperative_groups;

__global__ void heat(float *now, float *next, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; ++step) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            float left = i > 0 ? now[i - 1] : now[i], right = i + 1 < n ? now[i + 1] : now[i]; // RACE
            next[i] = now[i] + 0.25f * (left - 2 * now[i] + right); // RACE
        }
        float *swapped = now;
        now = next;
        next = swapped;
#ifdef RACY
        cg::this_thread_block().sync();
#else
        grid.sync();
#endif
    }
}

int main()
{
    int n = 500, steps = 6;
    std::vector<float> rod(n, 0.0f), wanted(n), other(n);
    rod[n / 2] = 100;
    wanted = rod;
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            float left = i > 0 ? wanted[i - 1] : wanted[i], right = i + 1 < n ? wanted[i + 1] : wanted[i];
            other[i] = wanted[i] + 0.25f * (left - 2 * wanted[i] + right);
        }
        std::swap(wanted, other);
    }
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    int resident = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, heat, 128, 0);
    if (!device.cooperativeLaunch || resident * device.multiProcessorCount < 4)
        return 3;
    float *now, *next;
    cudaMalloc(&now, n * sizeof(float));
    cudaMalloc(&next, n * sizeof(float));
    cudaMemcpy(now, rod.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    void *arguments[] = {&now, &next, &n, &steps};
    cudaError_t error = cudaLaunchCooperativeKernel(heat, dim3(4), dim3(128), arguments);
    if (error == cudaSuccess)
        error = cudaMemcpy(rod.data(), now, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(now);
    cudaFree(next);
    float worst = 0;
    for (int i = 0; i < n; ++i)
        worst = std::fmax(worst, std::fabs(rod[i] - wanted[i]));
    std::printf("%s, within 1e-5: %s\n", cudaGetErrorName(error), worst < 1e-5f ? "yes" : "no");
    return error == cudaSuccess && worst < 1e-5f ? 0 : 1;
}
