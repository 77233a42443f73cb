// what: a three-point stencil: in place it reads what neighbours overwrite (also with a barrier, at the edges of the blocks); in `good` from one array into another, in `good_in_place` by one block that reads, waits and then writes
// launch: --block 64
// launch bad: --grid 2
// launch bad_barrier: --grid 2
// launch bad_no_barrier_one_block: --grid 1
// launch good: --grid 2
// launch good_in_place: --grid 1
// arg: f32[130]=iota
// arg: f32[130]
// expect bad: race
// expect bad_barrier: race
// expect bad_no_barrier_one_block: race
// expect good: clean
// expect good_in_place: clean

extern "C" __global__ void bad(float *a, float *)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    a[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}

extern "C" __global__ void bad_barrier(float *a, float *)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    float v = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    __syncthreads();
    a[i] = v;
}

extern "C" __global__ void bad_no_barrier_one_block(float *a, float *)
{
    unsigned i = threadIdx.x + 1;
    float v = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    a[i] = v;
}

extern "C" __global__ void good(float *a, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}

extern "C" __global__ void good_in_place(float *a, float *)
{
    unsigned i = threadIdx.x + 1;
    float v = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
    __syncthreads();
    a[i] = v;
}
