// The product of two square matrices by tiles of 8 by 8 cells; size is a multiple of 8.
extern "C" __global__ void matrix_product(const float *a, const float *b, float *c, int size)
{
    __shared__ float of_a[8][8];
    __shared__ float of_b[8][8];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 8 + x;
    int row = blockIdx.y * 8 + y;
    float sum = 0.0f;

    for (int tile = 0; tile < size; tile += 8) {
        of_a[y][x] = a[row * size + tile + x];
        of_b[y][x] = b[(tile + y) * size + column];
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            sum += of_a[y][k] * of_b[k][x];
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}
