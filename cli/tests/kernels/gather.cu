// Fetches the cells of a table that an array of places names; -1 for a place outside of it.
extern "C" __global__ void gather(const int *table, int cells, const int *places, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        int place = places[i];
        out[i] = place >= 0 && place < cells ? table[place] : -1;
    }
}
