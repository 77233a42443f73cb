// what: turn all edges round: each row of the new graph is filled at a place drawn by an atomic; in `bad_row` the edges of a row go into the next one
// launch: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]
// arg: s32[20]
// expect bad_atomic: race
// expect bad_row: out-of-bounds | out-of-bounds+race
// expect bad_no_place: race
// expect good: clean

#define REVERSE(row, place)                                                                      \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n)                                                                                   \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int u = nlist[i];                                                                    \
            list[nindex[row] + place] = v;                                                       \
        }
#define GRAPH int n, const int *nindex, const int *nlist, int *filled, int *list

extern "C" __global__ void good(GRAPH)
{
    REVERSE(u, atomicAdd(&filled[u], 1))
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    REVERSE(u, filled[u]++)
}

// Rows 0 and 7 are not of one length, so places meet, and the last row has no next one.
extern "C" __global__ void bad_row(GRAPH)
{
    REVERSE(u + 1, atomicAdd(&filled[u], 1))
}

extern "C" __global__ void bad_no_place(GRAPH)
{
    REVERSE(u, 0)
}
