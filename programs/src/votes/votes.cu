// Votes: each thread has a number, and it is a vote for yes if it is not 0. Blocks vote at a barrier, warps vote among
// the lanes of a mask. What a vote comes to, each voter is told.
//
// Each thread gets three words: those of count, and, or; or those of any, all, ballot.

enum { EVERYBODY = 0xffffffffu };

// How many threads of the block vote for yes, whether all do, whether one does. It counts numbers that are not 0: a vote of 7 is
// one vote.
extern "C" __global__ void votes_of_block(const int *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[3 * i] = __syncthreads_count(in[i]);
    out[3 * i + 1] = __syncthreads_and(in[i]) != 0;
    out[3 * i + 2] = __syncthreads_or(in[i]) != 0;
}

// Whether a lane of the warp votes for yes, whether all do, and which do: one bit a lane.
extern "C" __global__ void votes_of_warp(const int *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[3 * i] = __any_sync(EVERYBODY, in[i]) != 0;
    out[3 * i + 1] = __all_sync(EVERYBODY, in[i]) != 0;
    out[3 * i + 2] = __ballot_sync(EVERYBODY, in[i]);
}

// The same among the lanes whose numbers are even, and among the others: each side of the branch says who is there.
extern "C" __global__ void votes_of_sides(const int *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned even = __ballot_sync(EVERYBODY, in[i] % 2 == 0);
    unsigned mask = in[i] % 2 == 0 ? even : ~even;
    if (in[i] % 2 == 0) {
        out[3 * i] = __any_sync(mask, in[i]) != 0;
        out[3 * i + 1] = __all_sync(mask, in[i]) != 0;
        out[3 * i + 2] = __ballot_sync(mask, in[i]);
    } else {
        out[3 * i] = __any_sync(mask, in[i]) != 0;
        out[3 * i + 1] = __all_sync(mask, in[i]) != 0;
        out[3 * i + 2] = __ballot_sync(mask, in[i]);
    }
}

// Wrong: only the lanes with even numbers are called, and all vote. What a lane gets that is not in its own mask, nobody says.
extern "C" __global__ void votes_of_outsiders(const int *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned even = __ballot_sync(EVERYBODY, in[i] % 2 == 0);
    out[3 * i] = __any_sync(even, in[i]) != 0;
    out[3 * i + 1] = __all_sync(even, in[i]) != 0;
    out[3 * i + 2] = __ballot_sync(even, in[i]);
}
