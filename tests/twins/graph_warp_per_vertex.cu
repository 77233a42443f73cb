// what: a warp to a vertex, its lanes share the edges: the sum is made by shuffles of all lanes; in `bad_lanes` those without an edge do not take part, in `good_all_write` each lane writes it by one instruction
// launch: --grid 2 --block 64
// arg: s32[9]=list:0,40,40,43,75,107,120,150,160
// arg: s32[160]=rand:38:0:7
// arg: s32[8]=rand:39:0:999
// arg: s32[8]
// arg: 8
// expect bad_lanes: shuffle-inactive-lane | sync-mask
// expect good_all_write: clean
// expect bad_plain_add: race
// expect good: clean
// expect good_atomic: clean

extern "C" __global__ void bad_lanes(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int lane = threadIdx.x % 32, v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (; v < n; v += gridDim.x * blockDim.x / 32) {
        int e = rows[v] + lane, sum = 0;
        if (e < rows[v + 1]) {
            for (; e < rows[v + 1]; e += 32)
                sum += from[columns[e]];
            for (int d = 16; d > 0; d /= 2)
                sum += __shfl_down_sync(__activemask(), sum, d);
        }
        if (lane == 0)
            to[v] = sum;
    }
}

extern "C" __global__ void good_all_write(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int lane = threadIdx.x % 32, v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (; v < n; v += gridDim.x * blockDim.x / 32) {
        int sum = 0;
        for (int e = rows[v] + lane; e < rows[v + 1]; e += 32)
            sum += from[columns[e]];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, d);
        to[v] = sum;
    }
}

extern "C" __global__ void bad_plain_add(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int lane = threadIdx.x % 32, v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (; v < n; v += gridDim.x * blockDim.x / 32)
        for (int e = rows[v] + lane; e < rows[v + 1]; e += 32)
            to[v] += from[columns[e]];
}

extern "C" __global__ void good(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int lane = threadIdx.x % 32, v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (; v < n; v += gridDim.x * blockDim.x / 32) {
        int sum = 0;
        for (int e = rows[v] + lane; e < rows[v + 1]; e += 32)
            sum += from[columns[e]];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d);
        if (lane == 0)
            to[v] = sum;
    }
}

extern "C" __global__ void good_atomic(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int lane = threadIdx.x % 32, v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (; v < n; v += gridDim.x * blockDim.x / 32)
        for (int e = rows[v] + lane; e < rows[v + 1]; e += 32)
            atomicAdd(&to[v], from[columns[e]]);
}
