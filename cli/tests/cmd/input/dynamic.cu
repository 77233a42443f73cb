extern "C" __global__ void turn(int *cells) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = cells[threadIdx.x];
  __syncthreads();
  cells[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
