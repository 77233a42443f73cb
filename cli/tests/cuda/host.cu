#include <vector>
__global__ void one(int *out) { out[threadIdx.x] = 1; }
int main() { std::vector<int> cells(32); }
