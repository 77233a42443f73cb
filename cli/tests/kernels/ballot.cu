// A vote in each warp on which numbers are odd: who they are, and whether any or all are.
extern "C" __global__ void ballot(const int *numbers, unsigned *who, int *any, int *all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_odd = numbers[i] % 2 != 0;

    unsigned votes = __ballot_sync(0xffffffff, is_odd);
    int some = __any_sync(0xffffffff, is_odd);
    int each = __all_sync(0xffffffff, is_odd);
    if (threadIdx.x % 32 == 0) {
        who[i / 32] = votes;
        any[i / 32] = some;
        all[i / 32] = each;
    }
}
