// what: thread 0 draws a piece of work for its block and tells it through shared memory: a barrier before the others read it, and one before it draws again
// launch: --grid 2 --block 64
// arg: u32[1]
// arg: s32[640]
// expect bad_no_first_barrier: race | race+uninitialized | race+same-value
// expect bad_no_second_barrier: race
// expect good: clean
// expect good_two_cells: clean

extern "C" __global__ void good(unsigned *next, int *out)
{
    __shared__ unsigned piece;
    for (;;) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        __syncthreads();
        unsigned mine = piece;
        __syncthreads();
        if (mine >= 10)
            return;
        out[mine * 64 + threadIdx.x] = mine;
    }
}

// Counted by hand, so that all threads do the same number of rounds.
extern "C" __global__ void bad_no_first_barrier(unsigned *next, int *out)
{
    __shared__ unsigned piece;
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        unsigned mine = piece;
        __syncthreads();
        if (mine < 10)
            out[mine * 64 + threadIdx.x] = mine;
    }
}

extern "C" __global__ void bad_no_second_barrier(unsigned *next, int *out)
{
    __shared__ unsigned piece;
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        __syncthreads();
        unsigned mine = piece;
        if (mine < 10)
            out[mine * 64 + threadIdx.x] = mine;
    }
}

// Two cells in turn: the barrier of the next round keeps them apart.
extern "C" __global__ void good_two_cells(unsigned *next, int *out)
{
    __shared__ unsigned pieces[2];
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x == 0)
            pieces[round % 2] = atomicAdd(next, 1);
        __syncthreads();
        unsigned mine = pieces[round % 2];
        if (mine < 10)
            out[mine * 64 + threadIdx.x] = mine;
    }
}
