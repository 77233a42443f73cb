// what: a bitonic sort in shared memory: in `bad` the barrier stands in the outer loop instead of in the inner one
// launch: --block 64
// arg: s32[64]=rand:4:0:999
// arg: s32[64]
// expect bad: race
// expect bad_all_swap: race
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int keys[64];
    unsigned t = threadIdx.x;
    keys[t] = in[t];
    __syncthreads();
    for (unsigned k = 2; k <= blockDim.x; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = t ^ j;
            int mine = keys[t], theirs = keys[other];
            if (other > t && (mine > theirs) == ((t & k) == 0)) {
                keys[t] = theirs;
                keys[other] = mine;
            }
        }
        __syncthreads();
    }
    out[t] = keys[t];
}

// Both threads of a pair look, and one writes: the other may look too late.
extern "C" __global__ void bad_all_swap(const int *in, int *out)
{
    __shared__ int keys[64];
    unsigned t = threadIdx.x;
    keys[t] = in[t];
    __syncthreads();
    for (unsigned k = 2; k <= blockDim.x; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = t ^ j;
            int mine = keys[t], theirs = keys[other];
            bool up = ((t < other ? t : other) & k) == 0;
            bool keep_less = (t < other) == up;
            keys[t] = (mine < theirs) == keep_less ? mine : theirs;
            __syncthreads();
        }
    }
    out[t] = keys[t];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int keys[64];
    unsigned t = threadIdx.x;
    keys[t] = in[t];
    __syncthreads();
    for (unsigned k = 2; k <= blockDim.x; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = t ^ j;
            if (other > t) {
                int mine = keys[t], theirs = keys[other];
                if ((mine > theirs) == ((t & k) == 0)) {
                    keys[t] = theirs;
                    keys[other] = mine;
                }
            }
            __syncthreads();
        }
    }
    out[t] = keys[t];
}
