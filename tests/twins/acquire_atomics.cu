// what: a lock by atom.acquire and atom.release; with .relaxed on either side, or .acquire where .release belongs, the section is not ordered
// launch: --grid 4 --block 32
// arg: s32[1]
// arg: s32[1]
// expect bad_take_relaxed: race
// expect bad_leave_relaxed: race
// expect bad_swapped: race
// expect bad_block: race
// expect good: clean
// expect good_acq_rel: clean

#define ATOM(name, text)                                                                         \
    __device__ __forceinline__ int name(int *p, int v)                                           \
    {                                                                                            \
        int old;                                                                                 \
        asm volatile(text ".exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");    \
        return old;                                                                              \
    }

ATOM(exchange_relaxed, "atom.relaxed.gpu")
ATOM(exchange_acquire, "atom.acquire.gpu")
ATOM(exchange_release, "atom.release.gpu")
ATOM(exchange_acq_rel, "atom.acq_rel.gpu")
ATOM(exchange_acquire_block, "atom.acquire.cta")
ATOM(exchange_release_block, "atom.release.cta")

#define COUNT(name, take, leave)                                                                 \
    extern "C" __global__ void name(int *lock, int *count)                                       \
    {                                                                                            \
        if (threadIdx.x == 0) {                                                                  \
            while (take(lock, 1) != 0)                                                           \
                ;                                                                                \
            *count += 1;                                                                         \
            leave(lock, 0);                                                                      \
        }                                                                                        \
    }

COUNT(good, exchange_acquire, exchange_release)
COUNT(good_acq_rel, exchange_acq_rel, exchange_acq_rel)
COUNT(bad_take_relaxed, exchange_relaxed, exchange_release)
COUNT(bad_leave_relaxed, exchange_acquire, exchange_relaxed)
COUNT(bad_swapped, exchange_release, exchange_acquire)
COUNT(bad_block, exchange_acquire_block, exchange_release_block)
