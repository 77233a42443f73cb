// Bodies that attract each other, a step after another, by tiles of positions in shared memory. With RACY a step writes the
// positions that other blocks still read.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int Tile = 64;
constexpr float softening = 1e-3f;

__device__ float3 attraction(float4 from, float4 to, float3 sum)
{
    float3 by = make_float3(to.x - from.x, to.y - from.y, to.z - from.z);
    float inverse = rsqrtf(by.x * by.x + by.y * by.y + by.z * by.z + softening);
    float strength = to.w * inverse * inverse * inverse;
    sum.x += by.x * strength;
    sum.y += by.y * strength;
    sum.z += by.z * strength;
    return sum;
}

__global__ void step(const float4 *now, float4 *next, float4 *speeds, int n, float dt)
{
    __shared__ float4 tile[Tile];
    int i = blockIdx.x * Tile + threadIdx.x;
    float4 own = now[i];
    float3 sum = make_float3(0, 0, 0);
    for (int at = 0; at < n; at += Tile) {
        tile[threadIdx.x] = now[at + threadIdx.x]; // RACE
        __syncthreads();
        for (int j = 0; j < Tile; ++j)
            sum = attraction(own, tile[j], sum);
        __syncthreads();
    }
    float4 speed = speeds[i];
    speed = make_float4(speed.x + sum.x * dt, speed.y + sum.y * dt, speed.z + sum.z * dt, 0);
    speeds[i] = speed;
    next[i] = make_float4(own.x + speed.x * dt, own.y + speed.y * dt, own.z + speed.z * dt, own.w); // RACE
}

int main()
{
    const int n = 256, steps = 4;
    std::vector<float4> bodies(n);
    for (int i = 0; i < n; ++i)
        bodies[i] = make_float4(std::cos(0.7 * i), std::sin(1.1 * i), std::cos(0.3 * i + 1), 1.0f / n);
    float4 *now, *next, *speeds;
    cudaMalloc(&now, n * sizeof(float4));
    cudaMalloc(&next, n * sizeof(float4));
    cudaMalloc(&speeds, n * sizeof(float4));
    cudaMemset(speeds, 0, n * sizeof(float4));
    cudaMemcpy(now, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s) {
#ifdef RACY
        step<<<n / Tile, Tile>>>(now, now, speeds, n, 0.01f);
#else
        step<<<n / Tile, Tile>>>(now, next, speeds, n, 0.01f);
        std::swap(now, next);
#endif
    }
    cudaMemcpy(bodies.data(), now, n * sizeof(float4), cudaMemcpyDeviceToHost);
    // Momentum is kept: the centre of all bodies stays where it was.
    double x = 0, was = 0;
    for (int i = 0; i < n; ++i) {
        x += bodies[i].x;
        was += (float)std::cos(0.7 * i);
    }
    cudaFree(now);
    cudaFree(next);
    cudaFree(speeds);
    bool is_kept = std::fabs(x - was) / n < 1e-6;
    std::printf("the centre stays: %s\n", is_kept ? "yes" : "no");
    return is_kept ? 0 : 1;
}
