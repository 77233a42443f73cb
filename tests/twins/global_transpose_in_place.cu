// what: a matrix is transposed in place; each pair of cells must be swapped by one thread, in `bad` both of them do it
// launch: --grid 2,2 --block 8,8
// arg: s32[256]=iota
// expect bad: race
// expect good: clean

extern "C" __global__ void bad(int *m)
{
    unsigned x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x != y) {
        int a = m[16 * y + x], b = m[16 * x + y];
        m[16 * y + x] = b;
        m[16 * x + y] = a;
    }
}

extern "C" __global__ void good(int *m)
{
    unsigned x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < y) {
        int a = m[16 * y + x], b = m[16 * x + y];
        m[16 * y + x] = b;
        m[16 * x + y] = a;
    }
}
