__global__ void warns(int *out) {
    int unused = 3;
    out[threadIdx.x] = 4;
}
