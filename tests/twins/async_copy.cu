// what: a copy to shared memory that a thread has begun goes on beside it: the thread has to wait for it, and others need a barrier behind that wait
// launch: --block 64
// arg: s32[256]=iota
// arg: s32[64]
// expect bad_no_wait: race
// expect bad_barrier_before_wait: race
// expect bad_no_barrier: race
// expect bad_count: race
// expect bad_reuse: race
// expect good: clean
// expect good_pipeline: clean

// What <cuda_pipeline_primitives.h> has, for a compiler without CUDA's headers.
static __device__ __forceinline__ void __pipeline_memcpy_async(int *to, const int *from, size_t)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)) : "memory");
}

static __device__ __forceinline__ void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

#define __pipeline_wait_prior(N) asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory")

// The barrier waits for threads, and for no copies.
extern "C" __global__ void bad_no_wait(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&cells[t], &in[t], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    out[t] = cells[t ^ 33];
}

// Each thread has waited for its own copy, behind the barrier.
extern "C" __global__ void bad_barrier_before_wait(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&cells[t], &in[t], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[t] = cells[t ^ 33];
}

// The neighbour has waited, and nobody has told this thread.
extern "C" __global__ void bad_no_barrier(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&cells[t], &in[t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = cells[t ^ 33];
}

// One of two groups may be under way: the one that is read.
extern "C" __global__ void bad_count(const int *in, int *out)
{
    __shared__ int cells[2][64];
    int t = threadIdx.x;
    for (int half = 0; half < 2; half++) {
        __pipeline_memcpy_async(&cells[half][t], &in[64 * half + t], sizeof(int));
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    out[t] = cells[0][t ^ 33] + cells[1][t ^ 33];
}

// The next copy may come before the neighbour has read the last one.
extern "C" __global__ void bad_reuse(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x, sum = 0;
    for (int row = 0; row < 4; row++) {
        __pipeline_memcpy_async(&cells[t], &in[64 * row + t], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += cells[t ^ 33];
    }
    out[t] = sum;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x, sum = 0;
    for (int row = 0; row < 4; row++) {
        __pipeline_memcpy_async(&cells[t], &in[64 * row + t], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += cells[t ^ 33];
        __syncthreads();
    }
    out[t] = sum;
}

// Two buffers: one is read while the other is filled.
extern "C" __global__ void good_pipeline(const int *in, int *out)
{
    __shared__ int cells[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&cells[0][t], &in[t], sizeof(int));
    __pipeline_commit();
    for (int row = 0; row < 4; row++) {
        if (row < 3)
            __pipeline_memcpy_async(&cells[(row + 1) & 1][t], &in[64 * (row + 1) + t], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += cells[row & 1][t ^ 33];
        __syncthreads();
    }
    out[t] = sum;
}
