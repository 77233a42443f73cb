// what: a scatter through an index buffer: with a permutation all is well, with an index that occurs twice two threads write one cell. The kernels are the same text, the inputs are not
// launch: --grid 2 --block 32
// launch bad: --arg u32[64]=fill:5
// launch bad_one_pair: --arg u32[64]=list:63,62,61,60,59,58,57,56,55,54,53,52,51,50,49,48,47,46,45,44,43,42,41,40,39,38,37,36,35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,63
// launch good: --arg u32[64]=iota:63:-1
// launch good_histogram: --arg u32[64]=fill:5
// arg: s32[64]=iota
// arg: s32[64]
// expect bad: race
// expect bad_one_pair: race
// expect good: clean
// expect good_histogram: clean

extern "C" __global__ void bad(const int *in, int *out, const unsigned *where)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[where[i]] = in[i];
}

extern "C" __global__ void bad_one_pair(const int *in, int *out, const unsigned *where)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[where[i]] = in[i];
}

extern "C" __global__ void good(const int *in, int *out, const unsigned *where)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[where[i]] = in[i];
}

// Collisions are no harm to an atomic.
extern "C" __global__ void good_histogram(const int *in, int *out, const unsigned *where)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[where[i]], in[i]);
}
