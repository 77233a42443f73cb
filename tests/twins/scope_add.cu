// what: an atomic of block scope is atomic for the threads of its block only
// launch: --block 64
// launch bad: --grid 2
// launch bad_one_of_them: --grid 2
// launch bad_block_and_system: --grid 2
// launch good: --grid 2
// launch good_system: --grid 2
// launch good_one_block: --grid 1
// launch good_own_cell: --grid 2
// arg: u32[2]
// expect bad: race
// expect bad_one_of_them: race
// expect bad_block_and_system: race
// expect good: clean
// expect good_system: clean
// expect good_one_block: clean
// expect good_own_cell: clean

extern "C" __global__ void bad(unsigned *n)
{
    atomicAdd_block(n, 1);
}

extern "C" __global__ void bad_one_of_them(unsigned *n)
{
    if (blockIdx.x == 0)
        atomicAdd(n, 1);
    else
        atomicAdd_block(n, 1);
}

extern "C" __global__ void bad_block_and_system(unsigned *n)
{
    if (blockIdx.x == 0)
        atomicMax_block(n, threadIdx.x);
    else
        atomicMax_system(n, threadIdx.x);
}

extern "C" __global__ void good(unsigned *n)
{
    atomicAdd(n, 1);
}

extern "C" __global__ void good_system(unsigned *n)
{
    if (blockIdx.x == 0)
        atomicAdd(n, 1);
    else
        atomicAdd_system(n, 1);
}

extern "C" __global__ void good_one_block(unsigned *n)
{
    if (threadIdx.x % 2 == 0)
        atomicAdd_block(n, 1);
    else
        atomicAdd(n, 1);
}

extern "C" __global__ void good_own_cell(unsigned *n)
{
    atomicAdd_block(&n[blockIdx.x], 1);
}
