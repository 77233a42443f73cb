// what: connected components by union-find: parents are followed and hooked by compare-and-swap; a plain read of a parent that others hook, or a plain hook, is a race
//   doubtful: shortening paths by plain stores, as published codes do, is harmless where a word is stored in one piece; in PTX `bad_shorten` is a race
// launch: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=iota
// expect bad_read: race
// expect bad_hook: race
// expect bad_shorten: race
// expect good: clean
// expect good_shorten: clean

template <typename Cell> __device__ __forceinline__ int root(Cell *parent, int v)
{
    while (parent[v] != v)
        v = parent[v];
    return v;
}

// Every parent is lower than its child, so following them comes to an end.
template <typename Cell> __device__ __forceinline__ void hook(int *parent, int a, int b)
{
    for (;;) {
        a = root<Cell>(parent, a);
        b = root<Cell>(parent, b);
        if (a == b)
            return;
        int high = a > b ? a : b, low = a > b ? b : a;
        if (atomicCAS(&parent[high], high, low) == high)
            return;
    }
}

#define EACH_EDGE(body)                                                                          \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n)                                                                                   \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int u = nlist[i];                                                                    \
            if (u < v) {                                                                         \
                body                                                                             \
            }                                                                                    \
        }
#define GRAPH int n, const int *nindex, const int *nlist, int *parent

extern "C" __global__ void good(GRAPH)
{
    EACH_EDGE(hook<volatile int>(parent, u, v);)
}

extern "C" __global__ void good_shorten(GRAPH)
{
    EACH_EDGE(hook<volatile int>(parent, u, v);)
    if (v < n)
        atomicMin(&parent[v], root<volatile int>(parent, v));
}

extern "C" __global__ void bad_shorten(GRAPH)
{
    EACH_EDGE(hook<volatile int>(parent, u, v);)
    if (v < n)
        parent[v] = root<volatile int>(parent, v);
}

// Spares the search if both have one parent. Everybody reads a parent that somebody else hooks.
extern "C" __global__ void bad_read(GRAPH)
{
    EACH_EDGE(if (parent[u] != parent[v]) hook<volatile int>(parent, u, v);)
}

extern "C" __global__ void bad_hook(GRAPH)
{
    EACH_EDGE(int a = root<volatile int>(parent, u); int b = root<volatile int>(parent, v);
              if (a < b) parent[b] = a; else if (b < a) parent[a] = b;)
}
