// what: a counter that all change by atomics may not be set back by a store while they do: what an atomic adds before the store is lost. Not so where the store is ordered with them, or is an atomic itself
// launch: --grid 4 --block 1
// arg: u32[1]
// arg: u32[4]
// expect bad_volatile: unordered
// expect bad_relaxed: unordered
// expect bad_first_resets: unordered
// expect bad_red: unordered
// expect bad_fence_on_one_side: unordered
// expect bad_in_block: unordered
// expect good_exchange: clean
// expect good_last_resets: clean
// expect good_last_resets_plain: clean
// expect good_in_block: clean
// expect good_read: clean
// launch bad_in_block: --grid 1 --block 64
// launch good_in_block: --grid 1 --block 64

extern "C" __global__ void bad_volatile(unsigned *count, unsigned *out)
{
    if (blockIdx.x == 0)
        *(volatile unsigned *)count = 0;
    else
        out[blockIdx.x] = atomicAdd(count, 1);
}

extern "C" __global__ void bad_relaxed(unsigned *count, unsigned *out)
{
    if (blockIdx.x == 3)
        asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(count), "r"(0) : "memory");
    else
        out[blockIdx.x] = atomicAdd(count, 1);
}

// A ticket comes before the store only for those whose tickets it has seen.
extern "C" __global__ void bad_first_resets(unsigned *count, unsigned *out)
{
    unsigned ticket = atomicAdd(count, 1);
    out[blockIdx.x] = ticket;
    if (ticket == 0)
        *(volatile unsigned *)count = 0;
}

// Who does not look at what was there has seen nothing: no fence behind it acquires.
extern "C" __global__ void bad_red(unsigned *count, unsigned *out)
{
    if (blockIdx.x == 0) {
        __threadfence();
        *(volatile unsigned *)count = 0;
    } else {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(count), "r"(1) : "memory");
        __threadfence();
        out[blockIdx.x] = 1;
    }
}

extern "C" __global__ void bad_fence_on_one_side(unsigned *count, unsigned *out)
{
    if (blockIdx.x == 0) {
        __threadfence();
        *(volatile unsigned *)count = 0;
    } else {
        out[blockIdx.x] = atomicAdd(count, 1);
    }
}

extern "C" __global__ void bad_in_block(unsigned *count, unsigned *out)
{
    __shared__ unsigned here;
    if (threadIdx.x == 0)
        *(volatile unsigned *)&here = 0;
    unsigned ticket = atomicAdd(&here, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = here;
    if (ticket == 100)
        *count = ticket;
}

extern "C" __global__ void good_in_block(unsigned *count, unsigned *out)
{
    __shared__ unsigned here;
    if (threadIdx.x == 0)
        *(volatile unsigned *)&here = 0;
    __syncthreads();
    unsigned ticket = atomicAdd(&here, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = here;
    if (ticket == 100)
        *count = ticket;
}

extern "C" __global__ void good_exchange(unsigned *count, unsigned *out)
{
    if (blockIdx.x == 0)
        out[0] = atomicExch(count, 0);
    else
        out[blockIdx.x] = atomicAdd(count, 1);
}

extern "C" __global__ void good_last_resets(unsigned *count, unsigned *out)
{
    unsigned ticket = atomicAdd(count, 1);
    out[blockIdx.x] = ticket;
    if (ticket == gridDim.x - 1)
        *(volatile unsigned *)count = 0;
}

extern "C" __global__ void good_last_resets_plain(unsigned *count, unsigned *out)
{
    unsigned ticket = atomicInc(count, gridDim.x);
    out[blockIdx.x] = ticket;
    if (ticket == gridDim.x - 1)
        *count = 0;
}

extern "C" __global__ void good_read(unsigned *count, unsigned *out)
{
    if (blockIdx.x == 0)
        out[0] = *(volatile unsigned *)count;
    else
        out[blockIdx.x] = atomicAdd(count, 1);
}
