// A number goes through 16 rounds of a generator of random numbers. What is of interest is on the host: the
// numbers come and go in pieces, in one stream, while another stream works on them.
extern "C" __global__ void work(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i];
    for (int round = 0; round < 16; round++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    out[i] = x;
}
