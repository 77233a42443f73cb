// Turns the cells of a block round. Wrong: nothing orders the loads of the copy after its stores.
extern "C" __global__ void reverse_no_barrier(int *cells)
{
    __shared__ int copy[64];
    int t = threadIdx.x;
    int mirrored = blockDim.x - 1 - t;

    copy[t] = cells[t];
    cells[t] = copy[mirrored];
}
