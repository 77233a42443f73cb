// A cuda::barrier tells of memcpy_async: who has arrived and waited may read; who has only arrived, or not been told of the copy,
// may not.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// It arrives, and reads before the others' copies are complete.
extern "C" __global__ void bad_no_wait(const int *in, int *out)
{
    __shared__ alignas(16) int cells[64];
    __shared__ Barrier barrier;
    int t = threadIdx.x;
    if (t == 0)
        init(&barrier, 64);
    __syncthreads();
    cuda::memcpy_async(&cells[t], &in[t], sizeof(int), barrier);
    Barrier::arrival_token token = barrier.arrive();
    out[t] = cells[t ^ 33];
    barrier.wait(static_cast<Barrier::arrival_token &&>(token));
}

// The copies tell another barrier than the one that is waited for.
extern "C" __global__ void bad_not_told(const int *in, int *out)
{
    __shared__ alignas(16) int cells[64];
    __shared__ Barrier barrier, other;
    int t = threadIdx.x;
    if (t == 0) {
        init(&barrier, 64);
        init(&other, 64);
    }
    __syncthreads();
    cuda::memcpy_async(&cells[t], &in[t], sizeof(int), other);
    barrier.arrive_and_wait();
    out[t] = cells[t ^ 33];
}

// The next copy may come before the neighbour has read the last one.
extern "C" __global__ void bad_reuse(const int *in, int *out)
{
    __shared__ alignas(16) int cells[64];
    __shared__ Barrier barrier;
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&barrier, 64);
    __syncthreads();
    for (int row = 0; row < 4; row++) {
        cuda::memcpy_async(&cells[t], &in[64 * row + t], sizeof(int), barrier);
        barrier.arrive_and_wait();
        sum += cells[t ^ 33];
    }
    out[t] = sum;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ alignas(16) int cells[64];
    __shared__ Barrier barrier;
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&barrier, 64);
    __syncthreads();
    for (int row = 0; row < 4; row++) {
        cuda::memcpy_async(&cells[t], &in[64 * row + t], sizeof(int), barrier);
        barrier.arrive_and_wait();
        sum += cells[t ^ 33];
        barrier.arrive_and_wait();
    }
    out[t] = sum;
}

// The block copies together, and waits together.
extern "C" __global__ void good_group(const int *in, int *out)
{
    namespace cg = cooperative_groups;
    __shared__ alignas(16) int cells[256];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, cells, in, sizeof cells);
    cg::wait(block);
    int t = threadIdx.x, sum = 0;
    for (int row = 0; row < 4; row++)
        sum += cells[64 * row + (t ^ 33)];
    out[t] = sum;
}
