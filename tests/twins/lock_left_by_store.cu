// what: a store may leave a lock that was taken by an atomic, for who tries to take it changes nothing as long as it is taken. A store by who has not taken it may undo what another did
// launch: --grid 4 --block 1
// arg: s32[2]
// arg: s32[4]
// expect bad_not_taken: unordered
// expect bad_left_by_another: unordered
// expect bad_flag_again: unordered
// expect bad_ticket_no_fence: race+unordered
// expect good_compare_and_swap: clean
// expect good_exchange: clean
// expect good_or: clean
// expect good_relaxed: clean
// expect good_own_number: clean
// expect good_fences: clean
// expect good_try_once: clean
// expect good_flag_again: clean
// expect good_ticket: clean
// launch bad_flag_again: --grid 2
// launch good_flag_again: --grid 2

// What is inside needs no order: nothing, or atomics.
#define INSIDE atomicAdd(&out[0], 1)

extern "C" __global__ void good_compare_and_swap(int *lock, int *out)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    INSIDE;
    *(volatile int *)lock = 0;
}

extern "C" __global__ void good_exchange(int *lock, int *out)
{
    while (atomicExch(lock, 1) != 0)
        ;
    INSIDE;
    *(volatile int *)lock = 0;
}

extern "C" __global__ void good_or(int *lock, int *out)
{
    while ((atomicOr(lock, 1) & 1) != 0)
        ;
    INSIDE;
    *(volatile int *)lock = 0;
}

extern "C" __global__ void good_relaxed(int *lock, int *out)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    INSIDE;
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(lock), "r"(0) : "memory");
}

extern "C" __global__ void good_own_number(int *lock, int *out)
{
    while (atomicCAS(lock, 0, blockIdx.x + 1) != 0)
        ;
    INSIDE;
    *(volatile int *)lock = 0;
}

extern "C" __global__ void good_fences(int *lock, int *out)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    out[0] += 1;
    __threadfence();
    *(volatile int *)lock = 0;
}

extern "C" __global__ void good_try_once(int *lock, int *out)
{
    if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        out[0] += 1;
        __threadfence();
        *(volatile int *)lock = 0;
    }
}

extern "C" __global__ void bad_not_taken(int *lock, int *out)
{
    if (blockIdx.x != 0)
        while (atomicCAS(lock, 0, 1) != 0)
            ;
    INSIDE;
    *(volatile int *)lock = 0;
}

// Block 0 takes it and counts; block 1 gives back what it does not have.
extern "C" __global__ void bad_left_by_another(int *lock, int *out)
{
    if (blockIdx.x == 0)
        out[0] = atomicAdd(lock, 1);
    else if (blockIdx.x == 1)
        *(volatile int *)lock = 0;
}

// The flag is set twice; the reset may come after the second time.
extern "C" __global__ void bad_flag_again(int *flag, int *out)
{
    if (blockIdx.x == 0) {
        out[0] = atomicExch(flag, 1);
        out[1] = atomicExch(flag, 2);
    } else {
        while (*(volatile int *)flag == 0)
            ;
        *(volatile int *)flag = 0;
    }
}

extern "C" __global__ void good_flag_again(int *flag, int *out)
{
    if (blockIdx.x == 0) {
        out[0] = atomicExch(flag, 1);
        while (*(volatile int *)flag != 0)
            ;
        __threadfence();
        out[1] = atomicExch(flag, 2);
    } else {
        while (*(volatile int *)flag == 0)
            ;
        __threadfence();
        *(volatile int *)flag = 0;
    }
}

// Whose turn it is, polled by an atomic that changes nothing.
#define TICKET(fence)                                                                            \
    int mine = atomicAdd(&lock[0], 1);                                                           \
    while (atomicAdd(&lock[1], 0) != mine)                                                       \
        ;                                                                                        \
    fence;                                                                                       \
    out[0] += 1;                                                                                 \
    fence;                                                                                       \
    *(volatile int *)&lock[1] = mine + 1

extern "C" __global__ void good_ticket(int *lock, int *out)
{
    TICKET(__threadfence());
}

extern "C" __global__ void bad_ticket_no_fence(int *lock, int *out)
{
    TICKET(;);
}
