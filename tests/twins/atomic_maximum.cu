// what: a maximum by compare and store; by atomicMax; by atomicMax after a look whether it is worth while, which must not be a plain read
// launch: --grid 2 --block 64
// arg: s32[128]=rand:11:0:1000
// arg: s32[1]
// expect bad: race
// expect bad_plain_look: race
// expect bad_volatile: unordered
// expect good: clean
// expect good_volatile_look: clean

extern "C" __global__ void bad(const int *in, int *max)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > *max)
        *max = v;
}

extern "C" __global__ void bad_volatile(const int *in, volatile int *max)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > *max)
        *max = v;
}

extern "C" __global__ void bad_plain_look(const int *in, int *max)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > *max)
        atomicMax(max, v);
}

extern "C" __global__ void good(const int *in, int *max)
{
    atomicMax(max, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

extern "C" __global__ void good_volatile_look(const int *in, int *max)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > *(volatile int *)max)
        atomicMax(max, v);
}
