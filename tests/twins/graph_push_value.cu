// what: every vertex pushes its value to its neighbours, each of which has several; a neighbour's cell is changed by atomics only, and read by a strong access if its vertex pushes it on in the same launch
// launch: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:5,9,2,7,1,8,3,6
// arg: s32[8]=list:5,9,2,7,1,8,3,6
// expect bad_atomic: race
// expect bad_add: race
// expect bad_read: race
// expect bad_look: race
// expect good: clean
// expect good_add: clean
// expect good_in_place: clean

#define PUSH(first, update)                                                                      \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n) {                                                                                 \
        int mine = first;                                                                        \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int *cell = &out[nlist[i]];                                                          \
            update;                                                                              \
        }                                                                                        \
    }
#define GRAPH int n, const int *nindex, const int *nlist, const int *value, int *out

extern "C" __global__ void good(GRAPH)
{
    PUSH(value[v], atomicMax(cell, mine))
}

extern "C" __global__ void good_add(GRAPH)
{
    PUSH(value[v], atomicAdd(cell, mine))
}

extern "C" __global__ void good_in_place(GRAPH)
{
    PUSH(*(volatile int *)&out[v], atomicMax(cell, mine))
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    PUSH(value[v], if (*cell < mine) *cell = mine)
}

extern "C" __global__ void bad_add(GRAPH)
{
    PUSH(value[v], *cell += mine)
}

// What others change by atomics is read plainly.
extern "C" __global__ void bad_read(GRAPH)
{
    PUSH(out[v], atomicMax(cell, mine))
}

extern "C" __global__ void bad_look(GRAPH)
{
    PUSH(value[v], if (*cell < mine) atomicMax(cell, mine))
}
