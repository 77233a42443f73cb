// grid.sync() needs a cooperative launch: CUDA's header ends a kernel of another one, and an H100 says "unspecified
// launch failure" (719).
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void reverse(int *a, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    cg::this_grid().sync(); // TRAP
    b[i] = a[n - 1 - i];
}
int main() {
    int *a, *b;
    cudaMalloc(&a, 512);
    cudaMalloc(&b, 512);
#ifdef COOPERATIVE
    void *arguments[] = {&a, &b};
    cudaLaunchCooperativeKernel((void *)reverse, 2, 64, arguments, 0, 0);
#else
    reverse<<<2, 64>>>(a, b);
#endif
    int error = cudaDeviceSynchronize();
    printf("%d\n", error);
    cudaFree(a);
    cudaFree(b);
}
