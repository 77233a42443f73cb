// what: graph algorithms that pass levels, labels and distances from thread to thread by relaxed accesses: any value will do, so there is a note at most; plain ones race, and a flag that tells of other data has to order it
// launch: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:0,1,9,9,9,9,9,9
// arg: s32[8]
// arg: s32[1]
// expect note_levels: note unordered
// expect note_labels: note unordered
// expect good_distances: clean
// expect bad_levels: race | race+same-value
// expect bad_again: same-value
// expect bad_set_back: unordered
// expect bad_list: race+unordered
// expect good_list: clean

#define GRAPH int n, const int *nindex, const int *nlist, int *value, int *list, int *again
#define EACH_EDGE(visit)                                                                         \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n)                                                                                   \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int u = nlist[i];                                                                    \
            visit                                                                                \
        }

__device__ __forceinline__ int get(int *from)
{
    int value;
    asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

__device__ __forceinline__ void set(int *to, int value)
{
    asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// A step of a breadth-first search that is done again until nothing changes.
extern "C" __global__ void note_levels(GRAPH)
{
    EACH_EDGE(int next = get(&value[v]) + 1; if (get(&value[u]) > next) {
        set(&value[u], next);
        set(again, 1);
    })
}

// Each vertex takes the least label around it.
extern "C" __global__ void note_labels(GRAPH)
{
    EACH_EDGE(int theirs = get(&value[u]); if (theirs < get(&value[v])) {
        set(&value[v], theirs);
        set(again, 1);
    })
}

// Distances by minima, which lose nothing.
extern "C" __global__ void good_distances(GRAPH)
{
    EACH_EDGE(int next = get(&value[v]) + u + 1; if (get(&value[u]) > next) {
        atomicMin(&value[u], next);
        set(again, 1);
    })
}

extern "C" __global__ void bad_levels(GRAPH)
{
    EACH_EDGE(int next = value[v] + 1; if (value[u] > next) {
        value[u] = next;
        *again = 1;
    })
}

// The levels are as above, and the flag is stored plainly.
extern "C" __global__ void bad_again(GRAPH)
{
    EACH_EDGE(int next = get(&value[v]) + 1; if (get(&value[u]) > next) {
        atomicMin(&value[u], next);
        *again = 1;
    })
}

// What a minimum has found may be undone.
extern "C" __global__ void bad_set_back(GRAPH)
{
    EACH_EDGE(if (blockIdx.x == 0) set(&value[u], 9); else atomicMin(&value[u], 5);)
}

// The flag says that the list is there, and does not order it.
extern "C" __global__ void bad_list(GRAPH)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        list[0] = 5;
        set(again, 1);
    } else {
        while (get(again) == 0)
            ;
        value[0] = list[0];
    }
}

extern "C" __global__ void good_list(GRAPH)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        list[0] = 5;
        __threadfence();
        set(again, 1);
    } else {
        while (get(again) == 0)
            ;
        __threadfence();
        value[0] = list[0];
    }
}
