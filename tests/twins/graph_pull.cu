// what: each vertex pulls from its neighbours: into a second array it is clean, in place vertices read what others write; `bad_bounds` pulls along an edge too many
// launch: --grid 2 --block 32
// arg: s32[41]=iota:0:3
// arg: s32[120]=rand:33:0:39
// arg: s32[40]=rand:34:0:999
// arg: s32[40]
// arg: 40
// expect bad_in_place: race
// expect bad_bounds: out-of-bounds
// expect bad_wrong_vertex: race
// expect good: clean

extern "C" __global__ void bad_in_place(const int *rows, const int *columns, int *numbers, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int most = numbers[v];
    for (int e = rows[v]; e < rows[v + 1]; e++)
        most = max(most, numbers[columns[e]]);
    numbers[v] = most;
}

extern "C" __global__ void bad_bounds(const int *rows, const int *columns, int *numbers, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int most = numbers[v];
    for (int e = rows[v]; e <= rows[v + 1]; e++)
        most = max(most, numbers[columns[e]]);
    to[v] = most;
}

// The sum goes to the last neighbour instead of to the vertex.
extern "C" __global__ void bad_wrong_vertex(const int *rows, const int *columns, int *numbers, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int most = numbers[v], last = v;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        last = columns[e];
        most = max(most, numbers[last]);
    }
    to[last] = most;
}

extern "C" __global__ void good(const int *rows, const int *columns, int *numbers, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int most = numbers[v];
    for (int e = rows[v]; e < rows[v + 1]; e++)
        most = max(most, numbers[columns[e]]);
    to[v] = most;
}
