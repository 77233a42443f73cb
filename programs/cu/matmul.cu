// A product of matrices by tiles in shared memory. With RACY a tile is loaded before all threads are done with the last one.
#include <cmath>
#include <cstdio>
#include <memory>

constexpr int Tile = 16;

struct Matrix {
    int rows, columns;
    float *cells;
};

__global__ void multiply(Matrix a, Matrix b, Matrix c)
{
    __shared__ float left[Tile][Tile], right[Tile][Tile];
    int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < a.columns; at += Tile) {
        int k = at + threadIdx.x, l = at + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < a.rows && k < a.columns ? a.cells[row * a.columns + k] : 0; // RACE
        right[threadIdx.y][threadIdx.x] = l < b.rows && column < b.columns ? b.cells[l * b.columns + column] : 0; // RACE
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Tile; ++i)
            sum = fmaf(left[threadIdx.y][i], right[i][threadIdx.x], sum);
#ifndef RACY
        __syncthreads();
#endif
    }
    if (row < c.rows && column < c.columns)
        c.cells[row * c.columns + column] = sum;
}

static Matrix on_device(int rows, int columns, const float *cells)
{
    Matrix matrix{rows, columns, nullptr};
    size_t bytes = sizeof(float) * rows * columns;
    if (cudaMalloc(&matrix.cells, bytes) != cudaSuccess)
        std::abort();
    if (cells)
        cudaMemcpy(matrix.cells, cells, bytes, cudaMemcpyHostToDevice);
    return matrix;
}

int main()
{
    const int m = 50, k = 40, n = 30;
    auto a = std::make_unique<float[]>(m * k), b = std::make_unique<float[]>(k * n), c = std::make_unique<float[]>(m * n);
    for (int i = 0; i < m * k; ++i)
        a[i] = std::sin(0.1f * i);
    for (int i = 0; i < k * n; ++i)
        b[i] = std::cos(0.1f * i);
    Matrix on_a = on_device(m, k, a.get()), on_b = on_device(k, n, b.get()), on_c = on_device(m, n, nullptr);
    dim3 grid((n + Tile - 1) / Tile, (m + Tile - 1) / Tile), block(Tile, Tile);
    multiply<<<grid, block>>>(on_a, on_b, on_c);
    if (cudaError_t error = cudaMemcpy(c.get(), on_c.cells, sizeof(float) * m * n, cudaMemcpyDeviceToHost)) {
        std::printf("%s\n", cudaGetErrorString(error));
        return 2;
    }
    double worst = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l)
                sum += (double)a[i * k + l] * b[l * n + j];
            worst = std::fmax(worst, std::fabs(sum - c[i * n + j]));
        }
    for (float *cells : {on_a.cells, on_b.cells, on_c.cells})
        cudaFree(cells);
    std::printf("within 1e-4: %s\n", worst < 1e-4 ? "yes" : "no");
    return worst < 1e-4 ? 0 : 1;
}
