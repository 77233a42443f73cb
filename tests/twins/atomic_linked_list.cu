// what: every thread puts a node of its own at the head of a list; by an exchange each predecessor goes to one thread only. In `bad_walk` one thread walks the list while others still build it
// launch: --grid 2 --block 32
// arg: s32[1]=fill:-1
// arg: s32[64]
// arg: s32[1]
// expect bad: race
// expect bad_walk: race
// expect good: clean
// expect good_walk: clean

extern "C" __global__ void bad(int *head, int *next, int *)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = *head;
    *head = i;
}

extern "C" __global__ void good(int *head, int *next, int *)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = atomicExch(head, i);
}

extern "C" __global__ void bad_walk(int *head, int *next, int *length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    next[i] = atomicExch(head, i);
    if (threadIdx.x == 31) {
        for (int at = atomicAdd(head, 0); at >= 0 && n < 64; at = next[at])
            n++;
        atomicMax(length, n);
    }
}

// Each block has a list of its own, complete behind the barrier.
extern "C" __global__ void good_walk(int *, int *next, int *length)
{
    __shared__ int first;
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    if (threadIdx.x == 0)
        first = -1;
    __syncthreads();
    next[i] = atomicExch(&first, i);
    __syncthreads();
    if (threadIdx.x == 31) {
        for (int at = first; at >= 0; at = next[at])
            n++;
        atomicMax(length, n);
    }
}
