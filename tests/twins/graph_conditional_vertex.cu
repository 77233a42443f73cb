// what: the largest value among the neighbours of vertices that satisfy a condition; a look at the common maximum that spares the atomic must itself be strong
// launch: --grid 3 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:5,9,2,7,1,8,3,6
// arg: s32[1]
// expect bad_atomic: race
// expect bad_look: race
// expect bad_guard: out-of-bounds
// expect good: clean
// expect good_look: clean

#define MAXIMUM(threads, update)                                                                 \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (threads) {                                                                               \
        int most = 0;                                                                            \
        for (int i = nindex[v]; i < nindex[v + 1]; i++)                                          \
            most = value[nlist[i]] > most ? value[nlist[i]] : most;                              \
        if (most > value[v])                                                                     \
            update;                                                                              \
    }
#define GRAPH int n, const int *nindex, const int *nlist, const int *value, int *out

extern "C" __global__ void good(GRAPH)
{
    MAXIMUM(v < n, atomicMax(out, most))
}

extern "C" __global__ void good_look(GRAPH)
{
    MAXIMUM(v < n, if (*(volatile int *)out < most) atomicMax(out, most))
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    MAXIMUM(v < n, if (*out < most) *out = most)
}

extern "C" __global__ void bad_look(GRAPH)
{
    MAXIMUM(v < n, if (*out < most) atomicMax(out, most))
}

extern "C" __global__ void bad_guard(GRAPH)
{
    MAXIMUM(v - 1 < n, atomicMax(out, most))
}
