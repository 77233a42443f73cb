// Neighbours look at each other's cells: without a barrier in the first, with one in the second.
__global__ void racy(int *out) {
    __shared__ int cells[64];
    cells[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = cells[threadIdx.x ^ 32];
}

__global__ void clean(int *out) {
    __shared__ int cells[64];
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = cells[threadIdx.x ^ 32];
}
