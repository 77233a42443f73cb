// what: vertices with a great number are put into a worklist: its length has to be taken with an atomic; `bad_seen` marks a vertex as seen without one
// launch: --grid 2 --block 32
// arg: s32[41]=iota:0:3
// arg: s32[120]=rand:35:0:39
// arg: s32[40]=rand:36:0:999
// arg: s32[120]
// arg: s32[1]
// arg: s32[40]
// arg: 40
// expect bad_length: race
// expect bad_seen: race
// expect bad_use: race
// expect good: clean
// expect good_seen: clean

extern "C" __global__ void bad_length(const int *rows, const int *columns, const int *numbers, int *list, int *length, int *seen, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && numbers[v] > 500) {
        int place = *length;
        *length = place + 1;
        list[place] = v;
    }
}

extern "C" __global__ void good(const int *rows, const int *columns, const int *numbers, int *list, int *length, int *seen, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && numbers[v] > 500)
        list[atomicAdd(length, 1)] = v;
}

// Neighbours of great vertices, each once.
extern "C" __global__ void bad_seen(const int *rows, const int *columns, const int *numbers, int *list, int *length, int *seen, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && numbers[v] > 500)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (!seen[columns[e]]) {
                seen[columns[e]] = 1;
                list[atomicAdd(length, 1)] = columns[e];
            }
}

extern "C" __global__ void good_seen(const int *rows, const int *columns, const int *numbers, int *list, int *length, int *seen, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && numbers[v] > 500)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (atomicExch(&seen[columns[e]], 1) == 0)
                list[atomicAdd(length, 1)] = columns[e];
}

// The list is read by the kernel that fills it.
extern "C" __global__ void bad_use(const int *rows, const int *columns, const int *numbers, int *list, int *length, int *seen, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && numbers[v] > 500)
        list[atomicAdd(length, 1)] = v;
    __syncthreads();
    if (v < n)
        seen[v] = list[v];
}
