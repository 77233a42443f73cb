// Every atomic function of CUDA, at the scopes of the device, of the block and of the system; and the
// same without atomics.
//
// A row is a function and a type: each thread applies it to a cell, and keeps what it found there. With a
// stride of 0 all threads go to one cell, with a stride of 1 each to its own.

typedef unsigned long long u64;
typedef long long s64;

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
    x &= 1023;                                                                                    \
    ROW(float, atomicAdd##SCOPE, v)                                                               \
    ROW(float, atomicExch##SCOPE, v)                                                              \
    ROW(double, atomicAdd##SCOPE, v)

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
    x &= 1023;
    PLAIN(float, old + v)
    PLAIN(float, v)
    PLAIN(double, old + v)
}
