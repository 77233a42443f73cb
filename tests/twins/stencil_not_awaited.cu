// what: a stencil over a tile with a halo, without the barrier behind the loads
// launch: --grid 2,2 --block 16,16
// arg: f32[1024]=iota
// arg: f32[1024]
// arg: 32
// arg: 32
// expect bad: race
// expect good: clean

#define SIDE 16

#define HEAT(between)                                                                            \
    __shared__ float tile[SIDE + 2][SIDE + 2];                                                   \
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;                \
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;                                              \
    tile[ty][tx] = in[y * w + x];                                                                \
    if (threadIdx.x == 0) {                                                                      \
        tile[ty][0] = in[y * w + max(x - 1, 0)];                                                 \
        tile[ty][SIDE + 1] = in[y * w + min(x + SIDE, w - 1)];                                   \
    }                                                                                            \
    if (threadIdx.y == 0) {                                                                      \
        tile[0][tx] = in[max(y - 1, 0) * w + x];                                                 \
        tile[SIDE + 1][tx] = in[min(y + SIDE, h - 1) * w + x];                                   \
    }                                                                                            \
    between;                                                                                     \
    out[y * w + x] = tile[ty][tx] + 0.1f * (tile[ty - 1][tx] + tile[ty + 1][tx] +                \
                                            tile[ty][tx - 1] + tile[ty][tx + 1] - 4 * tile[ty][tx]);

extern "C" __global__ void bad(const float *in, float *out, int w, int h)
{
    HEAT()
}

extern "C" __global__ void good(const float *in, float *out, int w, int h)
{
    HEAT(__syncthreads())
}
