// what: each thread moves money between two accounts and needs both locks, taken in one order; in `bad` it takes only the payer's
// launch: --grid 2 --block 4
// arg: u32[8]=list:0,1,2,3,3,2,1,0
// arg: u32[8]=list:1,2,3,0,1,0,3,2
// arg: s32[4]
// arg: s32[4]=fill:100
// expect bad: race
// expect good: clean

extern "C" __global__ void bad(const unsigned *from, const unsigned *to, int *locks, int *money)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = from[i], b = to[i];
    bool done = false;
    while (!done)
        if (atomicCAS(&locks[a], 0, 1) == 0) {
            __threadfence();
            money[a] -= 10;
            money[b] += 10;
            __threadfence();
            atomicExch(&locks[a], 0);
            done = true;
        }
}

extern "C" __global__ void good(const unsigned *from, const unsigned *to, int *locks, int *money)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, a = from[i], b = to[i];
    unsigned first = a < b ? a : b, second = a < b ? b : a;
    bool done = false;
    while (!done)
        if (atomicCAS(&locks[first], 0, 1) == 0) {
            if (atomicCAS(&locks[second], 0, 1) == 0) {
                __threadfence();
                money[a] -= 10;
                money[b] += 10;
                __threadfence();
                atomicExch(&locks[second], 0);
                done = true;
            }
            atomicExch(&locks[first], 0);
        }
}
