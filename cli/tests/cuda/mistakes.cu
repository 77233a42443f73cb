__global__ void mistakes(int *out) {
    int unused = 3;
    out[threadIdx.x] = nothing;
}
