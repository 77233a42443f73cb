// Every number moves one place to the left, and the last place becomes 0: a loop over i from 0 to n - 1,
// one thread an iteration. Four ways to write the loop; as a loop all are right.

// No iteration touches what another one writes. Right in any order.
extern "C" __global__ void forall(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i + 1 < n ? in[i + 1] : 0;
}

// True dependence: iteration i reads pass[i], which iteration i - 1 writes.
extern "C" __global__ void true_dependence(const int *in, int *pass, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        pass[i + 1] = i + 2 < n ? in[i + 2] : 0;
        out[i] = pass[i];
    }
}

// Anti-dependence: iteration i reads cells[i + 1], which iteration i + 1 overwrites.
extern "C" __global__ void anti_dependence(int *cells, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i] = i + 1 < n ? cells[i + 1] : 0;
}

// Output dependence: iterations i and i + 1 both write out[i + 1], and the later one has to be the last.
extern "C" __global__ void output_dependence(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i + 1] = 0;
        out[i] = i + 1 < n ? in[i + 1] : 0;
    }
}
