// what: a tiled matrix product: without the barrier at the end of the round (or the one after loading) tiles are overwritten (or read) too early
// launch: --grid 2,2 --block 8,8
// arg: f32[256]=iota
// arg: f32[256]=fill:0.5
// arg: f32[256]
// arg: 16
// expect bad_end: race
// expect bad_load: race
// expect good: clean

enum { TILE = 8 };

extern "C" __global__ void bad_end(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int m = 0; m < n; m += TILE) {
        left[y][x] = a[row * n + m + x];
        right[y][x] = b[(m + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void bad_load(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int m = 0; m < n; m += TILE) {
        left[y][x] = a[row * n + m + x];
        right[y][x] = b[(m + y) * n + column];
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void good(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int m = 0; m < n; m += TILE) {
        left[y][x] = a[row * n + m + x];
        right[y][x] = b[(m + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
