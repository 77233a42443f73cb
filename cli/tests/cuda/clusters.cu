__global__ void __cluster_dims__(2) clusters(int *out) { out[threadIdx.x] = 1; }
