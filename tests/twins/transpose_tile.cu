// what: a transposition through a tile in shared memory; `bad` reads the tile before all of it is there, `bad_next` fills it again too early
// launch: --grid 2 --block 16,16
// arg: s32[512]=iota
// arg: s32[512]
// expect bad: race
// expect bad_next: race
// expect good: clean
// expect good_next: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[blockIdx.x * 256 + y * 16 + x];
    out[blockIdx.x * 256 + y * 16 + x] = tile[x][y];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[blockIdx.x * 256 + y * 16 + x];
    __syncthreads();
    out[blockIdx.x * 256 + y * 16 + x] = tile[x][y];
}

// Every block transposes both tiles, one after the other.
extern "C" __global__ void bad_next(const int *in, int *out)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    for (int part = 0; part < 2; part++) {
        tile[y][x] = in[part * 256 + y * 16 + x];
        __syncthreads();
        if (part == blockIdx.x)
            out[part * 256 + y * 16 + x] = tile[x][y];
    }
}

extern "C" __global__ void good_next(const int *in, int *out)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    for (int part = 0; part < 2; part++) {
        tile[y][x] = in[part * 256 + y * 16 + x];
        __syncthreads();
        if (part == blockIdx.x)
            out[part * 256 + y * 16 + x] = tile[x][y];
        __syncthreads();
    }
}
