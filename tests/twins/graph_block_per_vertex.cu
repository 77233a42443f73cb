// what: a block to a vertex: its warps leave their greatest numbers in shared memory and warp 0 puts them together; a barrier is missing, or stands inside the loop over the edges
// launch: --grid 2 --block 96
// arg: s32[9]=list:0,90,90,93,175,207,320,350,400
// arg: s32[400]=rand:40:0:7
// arg: s32[8]=rand:41:0:999
// arg: s32[8]
// arg: 8
// launch bad_in_loop: --grid 8
// expect bad_before: race
// expect bad_after: race
// expect bad_in_loop: barrier-divergence
// expect good: clean

__device__ __forceinline__ int greatest_of_warp(int number)
{
    for (int d = 16; d > 0; d /= 2)
        number = max(number, __shfl_xor_sync(0xffffffff, number, d));
    return number;
}

// Warp 0 may read before the others have written.
extern "C" __global__ void bad_before(const int *rows, const int *columns, const int *from, int *to, int n)
{
    __shared__ int greatest[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int v = blockIdx.x; v < n; v += gridDim.x) {
        if (t < 32)
            greatest[t] = 0;
        __syncthreads();
        int most = 0;
        for (int e = rows[v] + t; e < rows[v + 1]; e += blockDim.x)
            most = max(most, from[columns[e]]);
        most = greatest_of_warp(most);
        if (lane == 0)
            greatest[warp] = most;
        if (warp == 0) {
            most = greatest_of_warp(greatest[lane]);
            if (lane == 0)
                to[v] = most;
        }
        __syncthreads();
    }
}

// The others may begin the next vertex before warp 0 has read.
extern "C" __global__ void bad_after(const int *rows, const int *columns, const int *from, int *to, int n)
{
    __shared__ int greatest[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < 32)
        greatest[t] = 0;
    __syncthreads();
    for (int v = blockIdx.x; v < n; v += gridDim.x) {
        int most = 0;
        for (int e = rows[v] + t; e < rows[v + 1]; e += blockDim.x)
            most = max(most, from[columns[e]]);
        most = greatest_of_warp(most);
        if (lane == 0)
            greatest[warp] = most;
        __syncthreads();
        if (warp == 0) {
            most = greatest_of_warp(greatest[lane]);
            if (lane == 0)
                to[v] = most;
        }
    }
}

// A vertex to each block; threads have different numbers of edges.
extern "C" __global__ void bad_in_loop(const int *rows, const int *columns, const int *from, int *to, int n)
{
    __shared__ int greatest;
    int t = threadIdx.x, v = blockIdx.x;
    if (t == 0)
        greatest = 0;
    __syncthreads();
    for (int e = rows[v] + t; e < rows[v + 1]; e += blockDim.x) {
        atomicMax(&greatest, from[columns[e]]);
        __syncthreads();
    }
    atomicMax(&to[v], atomicAdd(&greatest, 0));
}

extern "C" __global__ void good(const int *rows, const int *columns, const int *from, int *to, int n)
{
    __shared__ int greatest[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < 32)
        greatest[t] = 0;
    __syncthreads();
    for (int v = blockIdx.x; v < n; v += gridDim.x) {
        int most = 0;
        for (int e = rows[v] + t; e < rows[v + 1]; e += blockDim.x)
            most = max(most, from[columns[e]]);
        most = greatest_of_warp(most);
        if (lane == 0)
            greatest[warp] = most;
        __syncthreads();
        if (warp == 0) {
            most = greatest_of_warp(greatest[lane]);
            if (lane == 0)
                to[v] = most;
        }
        __syncthreads();
    }
}
