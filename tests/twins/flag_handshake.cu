// what: block 0 hands three values to block 1 through one cell and waits for each to be taken; both directions need their fences. `bad_ack_too_soon` says that it has taken the value before it reads it
//   in `bad_no_fence_after_ack` the wait of the last round has no fence behind it, those before have one: the flag may or may not be `unordered` as well
// launch: --grid 2 --block 1
// arg: s32[1]
// arg: s32[2]
// arg: s32[4]
// expect bad_no_ack_fence: race
// expect bad_no_fence_after_ack: race | race+unordered
// expect bad_ack_too_soon: race
// expect good: clean

extern "C" __global__ void good(int *cell, volatile int *flags, int *out)
{
    for (int round = 1; round <= 3; round++)
        if (blockIdx.x == 0) {
            cell[0] = round * 10;
            __threadfence();
            flags[0] = round;
            while (flags[1] < round)
                ;
            __threadfence();
        } else {
            while (flags[0] < round)
                ;
            __threadfence();
            out[round] = cell[0];
            __threadfence();
            flags[1] = round;
        }
}

// Block 1 says that it has read, but the read may still be under way.
extern "C" __global__ void bad_no_ack_fence(int *cell, volatile int *flags, int *out)
{
    for (int round = 1; round <= 3; round++)
        if (blockIdx.x == 0) {
            cell[0] = round * 10;
            __threadfence();
            flags[0] = round;
            while (flags[1] < round)
                ;
            __threadfence();
        } else {
            while (flags[0] < round)
                ;
            __threadfence();
            out[round] = cell[0];
            flags[1] = round;
        }
}

// The fence of the next round comes after the store to the cell.
extern "C" __global__ void bad_no_fence_after_ack(int *cell, volatile int *flags, int *out)
{
    for (int round = 1; round <= 3; round++)
        if (blockIdx.x == 0) {
            cell[0] = round * 10;
            __threadfence();
            flags[0] = round;
            while (flags[1] < round)
                ;
        } else {
            while (flags[0] < round)
                ;
            __threadfence();
            out[round] = cell[0];
            __threadfence();
            flags[1] = round;
        }
}

extern "C" __global__ void bad_ack_too_soon(int *cell, volatile int *flags, int *out)
{
    for (int round = 1; round <= 3; round++)
        if (blockIdx.x == 0) {
            cell[0] = round * 10;
            __threadfence();
            flags[0] = round;
            while (flags[1] < round)
                ;
            __threadfence();
        } else {
            while (flags[0] < round)
                ;
            __threadfence();
            flags[1] = round;
            out[round] = cell[0];
        }
}
