// what: connected components: the parents of vertices are changed by compare-and-swap and read on the way up; plain reads race with that, volatile ones do not, and halving the path by volatile stores is ordered by nothing
// launch: --grid 2 --block 32
// arg: s32[41]=iota:0:3
// arg: s32[120]=rand:42:0:39
// arg: s32[40]=iota
// arg: 40
// expect bad_plain_reads: race
// expect bad_plain_hook: race
// expect bad_halving: unordered
// expect good: clean

template <class Parents>
__device__ __forceinline__ int root(Parents parents, int v)
{
    for (int up = parents[v]; up != v; up = parents[v])
        v = up;
    return v;
}

// The greater root gets the smaller one as its parent; parents are always smaller, so there is no circle.
template <class Parents>
__device__ __forceinline__ void join(Parents parents, int *words, int v, int w)
{
    v = root(parents, v);
    w = root(parents, w);
    while (v != w) {
        int less = min(v, w), more = max(v, w);
        int old = atomicCAS(&words[more], more, less);
        if (old == more)
            break;
        v = root(parents, old);
        w = root(parents, less);
    }
}

extern "C" __global__ void bad_plain_reads(const int *rows, const int *columns, int *parents, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            join<int *>(parents, parents, v, columns[e]);
}

extern "C" __global__ void good(const int *rows, const int *columns, int *parents, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            join<volatile int *>(parents, parents, v, columns[e]);
}

// One step only, and the parent is stored as if nobody else did.
extern "C" __global__ void bad_plain_hook(const int *rows, const int *columns, int *parents, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (columns[e] < parents[v])
                parents[parents[v]] = columns[e];
}

// On the way up each vertex is given its grandparent.
extern "C" __global__ void bad_halving(const int *rows, const int *columns, int *words, int n)
{
    volatile int *parents = words;
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++)
        join<volatile int *>(parents, words, v, columns[e]);
    for (int at = v, up = parents[at]; up != at; at = up, up = parents[at]) {
        int above = parents[up];
        if (above != up)
            parents[at] = above;
    }
}
