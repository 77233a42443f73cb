// what: a tiled matrix product whose tiles are loaded again before all warps have read them: between warps only __syncthreads() helps
// launch: --grid 2,2 --block 16,16
// arg: f32[1024]=iota
// arg: f32[1024]=fill:0.5
// arg: f32[1024]
// arg: 32
// expect bad: race
// expect good: clean

#define TILE 16

#define PRODUCT(end)                                                                             \
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];                                     \
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;         \
    float sum = 0;                                                                               \
    for (int k = 0; k < n; k += TILE) {                                                          \
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];                         \
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];                    \
        __syncthreads();                                                                         \
        for (int i = 0; i < TILE; i++)                                                           \
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];                              \
        end;                                                                                     \
    }                                                                                            \
    c[row * n + column] = sum;

extern "C" __global__ void bad(const float *a, const float *b, float *c, int n)
{
    PRODUCT()
}

extern "C" __global__ void good(const float *a, const float *b, float *c, int n)
{
    PRODUCT(__syncthreads())
}
