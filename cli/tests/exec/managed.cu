// Managed variables: of one number and of several, with values at first, of this file alone; as arguments, and in
// calls of the runtime.
#include <cstdio>

__managed__ int number = 7;
__device__ __managed__ float several[4] = {1, 2, 3, 4};
static __managed__ int own;

__global__ void change(float *second) {
    number += 1;
    second[1] += 10;
    own = 3;
}

int main() {
    int wrong = number != 7 || several[2] != 3 || own != 0;
    number = 10;
    change<<<1, 1>>>(several);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    wrong += number != 11 || several[1] != 12 || several[0] != 1 || own != 3;
    wrong += cudaMemset(&number, 0, sizeof number) != cudaSuccess;
    wrong += cudaDeviceSynchronize() != cudaSuccess || number != 0;
    cudaPointerAttributes attributes;
    wrong += cudaPointerGetAttributes(&attributes, &number) != cudaSuccess;
    wrong += attributes.type != cudaMemoryTypeManaged;
    printf("%d wrong\n", wrong);
}
