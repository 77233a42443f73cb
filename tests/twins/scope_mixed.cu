// what: atomics mixed with other accesses of the same cell: a plain one races; a volatile one is strong at system scope and may meet an atomic of the device, but not one of another block's scope
// launch: --block 32
// launch bad_plain_read: --grid 2
// launch bad_plain_write: --grid 2
// launch bad_volatile_and_block: --grid 2
// launch good_volatile: --grid 2
// launch good_volatile_and_block: --grid 1
// arg: u32[1]
// arg: u32[64]
// expect bad_plain_read: race
// expect bad_plain_write: race
// expect bad_volatile_and_block: race
// expect good_volatile: clean
// expect good_volatile_and_block: clean

extern "C" __global__ void bad_plain_read(unsigned *n, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0)
        atomicAdd(n, 1);
    else
        out[i] = *n;
}

extern "C" __global__ void bad_plain_write(unsigned *n, unsigned *)
{
    if (blockIdx.x == 0)
        atomicAdd(n, 1);
    else if (threadIdx.x == 0)
        *n = 0;
}

extern "C" __global__ void bad_volatile_and_block(unsigned *n, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0)
        atomicAdd_block(n, 1);
    else
        out[i] = *(volatile unsigned *)n;
}

extern "C" __global__ void good_volatile(unsigned *n, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0)
        atomicAdd(n, 1);
    else
        out[i] = *(volatile unsigned *)n;
}

extern "C" __global__ void good_volatile_and_block(unsigned *n, unsigned *out)
{
    unsigned i = threadIdx.x;
    if (i < 16)
        atomicAdd_block(n, 1);
    else
        out[i] = *(volatile unsigned *)n;
}
