// One thread writes, a barrier, all read; in the shapes in which LLVM 14 moved the load over the barrier, or left it out, while
// barriers were functions of its own. Each line says how many words are wrong.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scalar(int *out, int v) {
    __shared__ int box;
    if (threadIdx.x == 0) box = v;
    __syncthreads();
    out[threadIdx.x] = box;
}
static __device__ int kept;
__global__ void variable(int *out, int v) {
    if (threadIdx.x == 0) kept = v;
    __syncthreads();
    out[threadIdx.x] = kept;
}
__global__ void element(int *out, int v) {
    __shared__ int total[2];
    if (threadIdx.x == 63) total[1] = v;
    __syncthreads();
    out[threadIdx.x] = total[1];
}
__global__ void added(int *out, int v) {
    __shared__ float box;
    if (threadIdx.x == 0) box = v;
    __syncthreads();
    out[threadIdx.x] += box;
}
// By clang's own name for the barrier, by its address, and in a function.
__global__ void own_name(int *out, int v) {
    __shared__ int box;
    if (threadIdx.x == 0) box = v;
    __nvvm_bar_sync(0);
    out[threadIdx.x] = box;
}
__device__ void together() { ::__syncthreads(); }
__global__ void in_function(int *out, int v) {
    __shared__ int box;
    if (threadIdx.x == 0) box = v;
    together();
    out[threadIdx.x] = box;
}
__global__ void counted(int *out, int v) {
    __shared__ int box;
    if (threadIdx.x == 0) box = v;
    int all = __syncthreads_count(1);
    out[threadIdx.x] = box + all - 64;
}
// A warp's barrier orders its threads.
__global__ void of_warp(int *out, int v) {
    __shared__ int box[2];
    if (threadIdx.x % 32 == 0) box[threadIdx.x / 32] = v;
    __syncwarp();
    out[threadIdx.x] = box[threadIdx.x / 32];
}
static __device__ unsigned done;
__global__ void last_block(int *out, int v) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) out[threadIdx.x] = v;
}
// The number of the tile comes from an atomic function; tiles wait for those before them.
__global__ void look_back(int *out, int v) {
    static __device__ int ticket, sums[4], flags[4];
    __shared__ int tile, before, cells[64];
    int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(&ticket, 1);
    __syncthreads();
    int b = tile;
    cells[t] = 1;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int other = t >= d ? cells[t - d] : 0;
        __syncthreads();
        cells[t] += other;
        __syncthreads();
    }
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            while (atomicAdd(&flags[b - 1], 0) == 0) {}
            __threadfence();
            sum = sums[b - 1];
        }
        sums[b] = sum + cells[63];
        __threadfence();
        atomicExch(&flags[b], 1);
        before = sum;
    }
    __syncthreads();
    if (b == 3) out[t] = before + cells[t] - 193 - t + v;
}

int main() {
    typedef void (*kernel)(int *, int);
    struct { const char *name; kernel call; int blocks; } all[] = {
        {"scalar", scalar, 1}, {"variable", variable, 1}, {"element", element, 1}, {"added", added, 1},
        {"own_name", own_name, 1}, {"in_function", in_function, 1}, {"counted", counted, 1}, {"of_warp", of_warp, 1},
        {"last_block", last_block, 4}, {"look_back", look_back, 4},
    };
    int bad = 0, h[64], *o;
    cudaMalloc(&o, sizeof h);
    for (auto &one : all) {
        cudaMemset(o, 0, sizeof h);
        one.call<<<one.blocks, 64>>>(o, 7);
        cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int v : h) wrong += v != 7;
        printf("%s: %d wrong\n", one.name, wrong);
        bad += wrong;
    }
    cudaFree(o);
    return bad != 0;
}
