// A matrix of halves times a vector: pairs are multiplied and added in halves, lanes and warps in float. With RACY the block's sum is
// read before all warps have written theirs.
#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int rows = 24, columns = 512, threads = 128;

__global__ void multiply(const __half2 *matrix, const __half2 *vector, float *product)
{
    __shared__ float of_warps[threads / 32];
    float sum = 0;
    for (int i = threadIdx.x; i < columns / 2; i += threads) {
        __half2 both = __hmul2(matrix[blockIdx.x * (columns / 2) + i], vector[i]);
        float2 each = __half22float2(both);
        sum += each.x + each.y;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = sum;
#ifndef RACY
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < threads / 32; warp++)
            sum += of_warps[warp]; // RACE
        product[blockIdx.x] = sum;
    }
}

int main()
{
    std::vector<__half> matrix(rows * columns), vector(columns);
    for (int i = 0; i < rows * columns; i++)
        matrix[i] = __float2half((float)(i * 37 % 64 - 32) / 8);
    for (int i = 0; i < columns; i++)
        vector[i] = __float2half((float)(i * 11 % 16) / 4);
    __half2 *on_matrix, *on_vector;
    float *on_product;
    cudaMalloc(&on_matrix, matrix.size() * sizeof(__half));
    cudaMalloc(&on_vector, vector.size() * sizeof(__half));
    cudaMalloc(&on_product, rows * sizeof(float));
    cudaMemcpy(on_matrix, matrix.data(), matrix.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(on_vector, vector.data(), vector.size() * sizeof(__half), cudaMemcpyHostToDevice);
    multiply<<<rows, threads>>>(on_matrix, on_vector, on_product);
    std::vector<float> product(rows);
    cudaMemcpy(product.data(), on_product, rows * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < rows; row++) {
        // Multiples of 1/32 below 2^11: halves hold each product, and floats each sum.
        double sum = 0;
        for (int i = 0; i < columns; i++)
            sum += (row * columns + i) * 37 % 64 / 8.0 * (i * 11 % 16) / 4 - 4.0 * (i * 11 % 16) / 4;
        wrong += product[row] != sum;
    }
    cudaFree(on_matrix);
    cudaFree(on_vector);
    cudaFree(on_product);
    std::printf("%d rows of %d halves: %d products are wrong\n", rows, columns, wrong);
    return wrong != 0;
}
