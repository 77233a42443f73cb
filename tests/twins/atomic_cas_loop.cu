// what: an atomic sum of doubles by compare-and-swap in a loop; the first look at the old value must be strong, and the value must go in by the swap
//   doubtful: the plain first read of `bad` is widely published and harmless where it is done in one piece; in PTX it is weak, conflicts with the swaps of others, and nothing orders them
// launch: --grid 2 --block 32
// arg: f64[64]=iota
// arg: f64[1]
// expect bad: race
// expect bad_store: race
// expect good: clean
// expect good_volatile: clean

extern "C" __global__ void bad(const double *in, double *sum)
{
    double v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned long long *cell = (unsigned long long *)sum, old = *cell, assumed;
    do {
        assumed = old;
        old = atomicCAS(cell, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
    } while (assumed != old);
}

extern "C" __global__ void bad_store(const double *in, double *sum)
{
    double v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned long long *cell = (unsigned long long *)sum;
    unsigned long long old = atomicAdd(cell, 0ull);
    *sum = v + __longlong_as_double(old);
}

extern "C" __global__ void good(const double *in, double *sum)
{
    double v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned long long *cell = (unsigned long long *)sum, old = 0, assumed;
    do {
        assumed = old;
        old = atomicCAS(cell, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
    } while (assumed != old);
}

extern "C" __global__ void good_volatile(const double *in, double *sum)
{
    double v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned long long *cell = (unsigned long long *)sum, assumed;
    unsigned long long old = *(volatile unsigned long long *)cell;
    do {
        assumed = old;
        old = atomicCAS(cell, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
    } while (assumed != old);
}
