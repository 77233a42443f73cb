// what: the reader takes the flag back once it has read; the writer waits for that before it writes again. A reset without a fence before it (`bad_no_fence`) or by a plain store (`bad_plain_reset`) orders nothing
// launch: --grid 2 --block 1
// arg: s32[1]
// arg: s32[1]
// arg: s32[4]
// expect bad_no_fence: race
// expect bad_plain_reset: race
// expect good: clean

#define EXCHANGE(reset_fence, reset)                                                             \
    for (int round = 0; round < 3; round++)                                                      \
        if (blockIdx.x == 0) {                                                                   \
            while (*(volatile int *)flag != 0)                                                   \
                ;                                                                                \
            __threadfence();                                                                     \
            cell[0] = round * 10;                                                                \
            __threadfence();                                                                     \
            *(volatile int *)flag = 1;                                                           \
        } else {                                                                                 \
            while (*(volatile int *)flag != 1)                                                   \
                ;                                                                                \
            __threadfence();                                                                     \
            out[round] = cell[0];                                                                \
            reset_fence;                                                                         \
            reset;                                                                               \
        }

extern "C" __global__ void good(int *cell, int *flag, int *out)
{
    EXCHANGE(__threadfence(), *(volatile int *)flag = 0)
}

extern "C" __global__ void bad_no_fence(int *cell, int *flag, int *out)
{
    for (int round = 0; round < 2; round++)
        if (blockIdx.x == 0) {
            while (*(volatile int *)flag != 0)
                ;
            __threadfence();
            cell[0] = round * 10;
            __threadfence();
            *(volatile int *)flag = 1;
        } else if (round == 0) {
            while (*(volatile int *)flag != 1)
                ;
            __threadfence();
            out[round] = cell[0];
            *(volatile int *)flag = 0;
        }
}

extern "C" __global__ void bad_plain_reset(int *cell, int *flag, int *out)
{
    EXCHANGE(__threadfence(), *flag = 0)
}
