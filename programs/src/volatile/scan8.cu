// The scan of 32 cut down to 8 lanes and three rounds, so that a picture of it fits on a page.
extern "C" __global__ void scan8(const int *in, int *out)
{
    __shared__ int cells[16];
    int t = threadIdx.x;
    int *data = cells;
    data[t] = 0;
    data[t + 8] = in[t];
    data[t + 8] += data[t + 7];
    data[t + 8] += data[t + 6];
    data[t + 8] += data[t + 4];
    out[t] = data[t + 8];
}
