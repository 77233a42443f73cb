// what: `const __restrict__` promises that nobody writes what the pointer reads; the launch passes one buffer twice in `bad`, two buffers in `good`
//   the fault is a read of the neighbour's cell that the neighbour overwrites: a race through ld.global.nc and through ld.global alike
// launch: --grid 1 --block 64
// launch bad: --arg @0
// launch good: --arg s32[65]
// arg: s32[65]=iota
// expect bad: race
// expect good: clean

extern "C" __global__ void bad(const int *__restrict__ in, int *__restrict__ out)
{
    unsigned t = threadIdx.x;
    out[t] = in[t + 1] * 2;
}

extern "C" __global__ void good(const int *__restrict__ in, int *__restrict__ out)
{
    unsigned t = threadIdx.x;
    out[t] = in[t + 1] * 2;
}
