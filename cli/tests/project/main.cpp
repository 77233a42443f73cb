// A host compiler compiles this.
#include "project.h"
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    const int n = 128;
    std::vector<float> sides(n), results(n);
    for (int i = 0; i < n; i++) sides[i] = i;
    areas(sides.data(), results.data(), n);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        float side = i ^ 1;
        wrong += results[i] != 20 * side * side;
    }
    float dot = sum_of_products(sides.data(), sides.data(), n), sum = 0;
    for (float side : sides) sum += side * side;
    wrong += dot != sum;
    // Of 4000 numbers, five standard deviations to each side.
    int below = below_a_half(4000);
    wrong += std::abs(below - 2000) > 5 * std::sqrt(4000 * 0.25);
    cudaDeviceProp properties;
    wrong += cudaGetDeviceProperties(&properties, 0) != cudaSuccess;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
