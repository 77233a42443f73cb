// Every atomic function of CUDA, at the scopes of the device, of the block and of the system; and the
// same without atomics.
//
// A row is a function and a type: each thread applies it to a cell, and keeps what it found there. With a
// stride of 0 all threads go to one cell, with a stride of 1 each to its own.

typedef unsigned long long u64;
typedef long long s64;
typedef unsigned short u16;

// Small whole numbers as halves and as bfloat16, one and two of them.
__device__ u16 f16(int x)
{
    u16 bits;
    asm("cvt.rn.f16.s32 %0, %1;" : "=h"(bits) : "r"(x & 15));
    return bits;
}

__device__ u16 bf16(float x)
{
    u16 bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

__device__ float from_bf16(unsigned bits) { return __uint_as_float(bits << 16); }
__device__ unsigned two(u16 low, u16 high) { return (unsigned)high << 16 | low; }
__device__ unsigned f16x2(int x) { return two(f16(x), f16(x >> 4)); }
__device__ unsigned bf16x2(int x) { return two(bf16(x & 3), bf16(x >> 2 & 3)); }

__device__ u16 add_bf16(unsigned a, unsigned b) { return bf16(from_bf16(a) + from_bf16(b)); }
__device__ unsigned add_bf16x2(unsigned a, unsigned b)
{
    return two(add_bf16(a & 0xffff, b & 0xffff), add_bf16(a >> 16, b >> 16));
}

// Atomics of halves. CUDA's functions for them stand in a header; they and the one for 16 bits are for the whole device. For
// bfloat16 there are instructions from sm_90 on, and the header makes do with atomicCAS before, as is done here.
__device__ u16 atomicAddF16(u16 *cell, u16 v)
{
    u16 old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(cell), "h"(v) : "memory");
    return old;
}

__device__ unsigned atomicAddF16x2(unsigned *cell, unsigned v)
{
    unsigned old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(cell), "r"(v) : "memory");
    return old;
}

__device__ u16 atomicAddBf16(u16 *cell, u16 v)
{
    u16 old = 0, guess;
    do
        old = atomicCAS(cell, guess = old, add_bf16(old, v));
    while (old != guess);
    return old;
}

__device__ unsigned atomicAddBf16x2(unsigned *cell, unsigned v)
{
    unsigned old = 0, guess;
    do
        old = atomicCAS(cell, guess = old, add_bf16x2(old, v));
    while (old != guess);
    return old;
}

// What inc and dec count to, and what cas compares with, or one more.
enum { LIMIT = 6, COMPARE = 5 };

// A row; cells have 64 bits, whatever the type. What a thread gives is small where sums must be exact.
#define ROW(T, FUNCTION, ...)                                                                     \
    {                                                                                             \
        T v = x;                                                                                  \
        *(T *)found = FUNCTION((T *)cells, __VA_ARGS__);                                          \
        cells += threads, found += threads;                                                       \
    }

#define INTEGERS(T, SCOPE)                                                                        \
    ROW(T, atomicExch##SCOPE, v)                                                                  \
    ROW(T, atomicCAS##SCOPE, (T)(COMPARE + (v & 1)), v)                                           \
    ROW(T, atomicMin##SCOPE, v)                                                                   \
    ROW(T, atomicMax##SCOPE, v)                                                                   \
    ROW(T, atomicAnd##SCOPE, v)                                                                   \
    ROW(T, atomicOr##SCOPE, v)                                                                    \
    ROW(T, atomicXor##SCOPE, v)

// The rows, in the order in which the host knows them.
#define ROWS(SCOPE)                                                                               \
    int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;              \
    cells += i * stride, found += i;                                                              \
    s64 x = in[i] * 0x100000001ll;                                                                \
    ROW(int, atomicAdd##SCOPE, v)                                                                 \
    ROW(int, atomicSub##SCOPE, v)                                                                 \
    INTEGERS(int, SCOPE)                                                                          \
    ROW(unsigned, atomicAdd##SCOPE, v)                                                            \
    ROW(unsigned, atomicSub##SCOPE, v)                                                            \
    INTEGERS(unsigned, SCOPE)                                                                     \
    ROW(unsigned, atomicInc##SCOPE, (v = LIMIT, v))                                               \
    ROW(unsigned, atomicDec##SCOPE, (v = LIMIT, v))                                               \
    ROW(u64, atomicAdd##SCOPE, v)                                                                 \
    INTEGERS(u64, SCOPE)                                                                          \
    ROW(s64, atomicMin##SCOPE, v)                                                                 \
    ROW(s64, atomicMax##SCOPE, v)                                                                 \
    ROW(u16, atomicCAS, COMPARE + (v & 1), v)                                                     \
    x &= 1023;                                                                                    \
    ROW(float, atomicAdd##SCOPE, v)                                                               \
    ROW(float, atomicExch##SCOPE, v)                                                              \
    ROW(double, atomicAdd##SCOPE, v)                                                              \
    ROW(u16, atomicAddF16, f16(v))                                                                \
    ROW(unsigned, atomicAddF16x2, f16x2(v))                                                       \
    ROW(u16, atomicAddBf16, bf16(v & 3))                                                          \
    ROW(unsigned, atomicAddBf16x2, bf16x2(v))

// Right for any number of blocks.
extern "C" __global__ void atomics_device(const int *in, u64 *cells, u64 *found, int stride)
{
    ROWS()
}

// Right for any number of blocks, and beside atomics of the host and of other devices.
extern "C" __global__ void atomics_system(const int *in, u64 *cells, u64 *found, int stride)
{
    ROWS(_system)
}

// Right for one block: nobody promises that these are atomic for another one.
extern "C" __global__ void atomics_block(const int *in, u64 *cells, u64 *found, int stride)
{
    ROWS(_block)
}

// The same in two steps, between which other threads may come.
#define PLAIN(T, NEW)                                                                             \
    {                                                                                             \
        T v = x, old = *(T *)cells;                                                               \
        *(T *)cells = NEW;                                                                        \
        *(T *)found = old;                                                                        \
        cells += threads, found += threads;                                                       \
    }

#define PLAIN_INTEGERS(T)                                                                         \
    PLAIN(T, v)                                                                                   \
    PLAIN(T, old == COMPARE + (v & 1) ? v : old)                                                  \
    PLAIN(T, old < v ? old : v)                                                                   \
    PLAIN(T, old > v ? old : v)                                                                   \
    PLAIN(T, old & v)                                                                             \
    PLAIN(T, old | v)                                                                             \
    PLAIN(T, old ^ v)

__device__ u16 add_f16(u16 a, u16 b)
{
    u16 sum;
    asm("add.f16 %0, %1, %2;" : "=h"(sum) : "h"(a), "h"(b));
    return sum;
}

// Wrong where threads go to one cell.
extern "C" __global__ void atomics_plain(const int *in, u64 *cells, u64 *found, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    cells += i * stride, found += i;
    s64 x = in[i] * 0x100000001ll;
    PLAIN(int, old + v)
    PLAIN(int, old - v)
    PLAIN_INTEGERS(int)
    PLAIN(unsigned, old + v)
    PLAIN(unsigned, old - v)
    PLAIN_INTEGERS(unsigned)
    PLAIN(unsigned, (v = LIMIT, old >= v ? 0 : old + 1))
    PLAIN(unsigned, (v = LIMIT, old == 0 || old > v ? v : old - 1))
    PLAIN(u64, old + v)
    PLAIN_INTEGERS(u64)
    PLAIN(s64, old < v ? old : v)
    PLAIN(s64, old > v ? old : v)
    PLAIN(u16, old == COMPARE + (v & 1) ? v : old)
    x &= 1023;
    PLAIN(float, old + v)
    PLAIN(float, v)
    PLAIN(double, old + v)
    PLAIN(u16, add_f16(old, f16(v)))
    PLAIN(unsigned, two(add_f16(old, f16(v)), add_f16(old >> 16, f16(v >> 4))))
    PLAIN(u16, add_bf16(old, bf16(v & 3)))
    PLAIN(unsigned, add_bf16x2(old, bf16x2(v)))
}
