// what: vectors, doubles and long integers lie at multiples of their size: the same code with a pointer four bytes further, or an index in words instead of vectors
// launch: --block 32
// arg: s32[160]=iota
// launch bad_vector_index: --arg s32[32] --arg @0
// launch bad_double: --arg f64[32] --arg @0+4
// launch bad_long: --arg s32[32] --arg @0+4
// launch good_vector_index: --arg s32[32] --arg @0
// launch good_double: --arg f64[32] --arg @0+8
// launch good_long: --arg s32[32] --arg @0+8
// launch good_words: --arg s32[32] --arg @0+4
// expect bad_vector_index: misaligned
// expect bad_double: misaligned
// expect bad_long: misaligned
// expect good_vector_index: clean
// expect good_double: clean
// expect good_long: clean
// expect good_words: clean

extern "C" __global__ void bad_vector_index(const int *all, int *out, const int *in)
{
    int t = threadIdx.x;
    int4 four = *(const int4 *)(in + t);
    out[t] = four.x + four.y + four.z + four.w;
}

extern "C" __global__ void good_vector_index(const int *all, int *out, const int *in)
{
    int t = threadIdx.x;
    int4 four = *(const int4 *)(in + 4 * t);
    out[t] = four.x + four.y + four.z + four.w;
}

extern "C" __global__ void bad_double(const int *all, double *out, const double *in)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];
}

extern "C" __global__ void good_double(const int *all, double *out, const double *in)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];
}

extern "C" __global__ void bad_long(const int *all, int *out, const long long *in)
{
    long long two = in[threadIdx.x];
    out[threadIdx.x] = (int)(two >> 32) - (int)two;
}

extern "C" __global__ void good_long(const int *all, int *out, const long long *in)
{
    long long two = in[threadIdx.x];
    out[threadIdx.x] = (int)(two >> 32) - (int)two;
}

extern "C" __global__ void good_words(const int *all, int *out, const int *in)
{
    int t = threadIdx.x;
    out[t] = in[2 * t] - in[2 * t + 1];
}
