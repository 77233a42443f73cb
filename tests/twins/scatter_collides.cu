// what: a scatter through an index buffer, in global memory: the same code, clean when the indices are a permutation and a race when two are equal
// launch: --grid 2 --block 32
// launch bad: --arg s32[64]=rand:5:0:31
// launch bad_two_equal: --arg s32[8]=list:0,1,2,3,4,5,6,0 --grid 1 --block 8
// launch good: --arg s32[64]=iota:63:-1
// arg: s32[64]=iota:100
// arg: s32[64]
// expect bad: race
// expect bad_two_equal: race
// expect good: clean

__device__ __forceinline__ void scatter(const int *in, int *out, const int *index)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = in[i];
}

extern "C" __global__ void bad(const int *in, int *out, const int *index)
{
    scatter(in, out, index);
}

extern "C" __global__ void bad_two_equal(const int *in, int *out, const int *index)
{
    scatter(in, out, index);
}

extern "C" __global__ void good(const int *in, int *out, const int *index)
{
    scatter(in, out, index);
}
