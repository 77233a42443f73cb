// Small kernels that a compiler has to get right before it is trusted; `cases.rs` has their launches, `expected.rs` what
// they must come to.
//
// Each takes `in` and writes `out`, 32-bit words both. `out` is zero before.
#include <cuda_pipeline_primitives.h>

#define KERNEL extern "C" __global__ void
#define PARAMETERS (const unsigned *in, unsigned *out)

// ---- One thread writes, a barrier, all read.

KERNEL broadcast_shared PARAMETERS {
    __shared__ unsigned box;
    if (threadIdx.x == 0) box = in[0];
    __syncthreads();
    out[threadIdx.x] = box;
}

static __device__ unsigned cell;
KERNEL broadcast_static PARAMETERS {
    if (threadIdx.x == 0) cell = in[0];
    __syncthreads();
    out[threadIdx.x] = cell;
}

KERNEL broadcast_element PARAMETERS {
    __shared__ unsigned total[2];
    unsigned t = threadIdx.x;
    if (t == 63) total[1] = in[0];
    __syncthreads();
    out[t] = t + total[1];
}

KERNEL broadcast_flag PARAMETERS {
    __shared__ bool is_odd;
    if (threadIdx.x == 0) is_odd = in[0] & 1;
    __syncthreads();
    if (is_odd) out[threadIdx.x] = 1;
}

// The value changes from round to round, with a barrier before and behind.
KERNEL broadcast_rounds PARAMETERS {
    __shared__ unsigned box;
    unsigned sum = 0;
    for (unsigned round = 0; round < 5; ++round) {
        if (threadIdx.x == round) box = in[round];
        __syncthreads();
        sum = 3 * sum + box;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// ---- Barriers in loops.

KERNEL reduce_tree PARAMETERS {
    __shared__ unsigned cells[128];
    unsigned t = threadIdx.x;
    cells[t] = in[t];
    for (unsigned half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) cells[t] += cells[t + half];
    }
    if (t == 0) out[0] = cells[0];
}

KERNEL scan_steps PARAMETERS {
    __shared__ unsigned cells[64];
    unsigned t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
#pragma unroll
    for (unsigned d = 1; d < 64; d *= 2) {
        unsigned other = t >= d ? cells[t - d] : 0;
        __syncthreads();
        cells[t] += other;
        __syncthreads();
    }
    out[t] = cells[t];
}

// Each step takes a neighbour's value through shared memory, as a binomial tree does.
#define STEPS 128
#define THREADS 32
#define EACH (STEPS / THREADS)
KERNEL exchange PARAMETERS {
    __shared__ unsigned border[THREADS + 1];
    const int t = threadIdx.x;
    unsigned mine[EACH + 1];
#pragma unroll
    for (int i = 0; i < EACH; ++i) mine[i] = in[t * EACH + i];
    if (t == 0) border[THREADS] = in[STEPS];
    int last = max(0, t * EACH - 1);
#pragma unroll 16
    for (int i = STEPS; i > 0; --i) {
        border[t] = mine[0];
        __syncthreads();
        mine[EACH] = border[t + 1];
        __syncthreads();
        if (i > last) {
#pragma unroll
            for (int j = 0; j < EACH; ++j) mine[j] = 3u * mine[j + 1] + 5u * mine[j];
        }
    }
    if (t == 0) out[0] = mine[0];
}

KERNEL counted PARAMETERS {
    unsigned p = in[threadIdx.x] & 1;
    unsigned count = __syncthreads_count(p), all = __syncthreads_and(p), any = __syncthreads_or(p);
    out[threadIdx.x] = count | (all != 0) << 16 | (any != 0) << 17;
}

// ---- Blocks.

static __device__ unsigned done;
KERNEL last_block PARAMETERS {
    __shared__ bool is_last;
    unsigned t = threadIdx.x, *partial = out + 1;
    if (t == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        is_last = atomicAdd(&done, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && t < gridDim.x) atomicAdd(out, partial[t]);
}

static __device__ unsigned message, flag;
KERNEL message_between_blocks PARAMETERS {
    if (blockIdx.x == 0) {
        message = in[0];
        __threadfence();
        atomicExch(&flag, 1u);
    } else {
        while (atomicAdd(&flag, 0u) == 0) __nanosleep(20);
        __threadfence();
        out[0] = message;
    }
}

static __device__ unsigned lock, guarded;
KERNEL locked PARAMETERS {
    while (atomicCAS(&lock, 0u, 1u) != 0) {}
    __threadfence();
    unsigned more = in[blockIdx.x] % 1000;
    guarded = guarded + more;
    out[1 + blockIdx.x] = guarded >= more;
    if (out[0] < guarded) out[0] = guarded;
    __threadfence();
    atomicExch(&lock, 0u);
}

KERNEL histogram PARAMETERS {
    __shared__ unsigned bins[8], most;
    unsigned t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    if (t == 8) most = 0;
    __syncthreads();
    atomicAdd(&bins[in[t] % 8], 1u);
    atomicMax(&most, in[t]);
    __syncthreads();
    if (t < 8) atomicAdd(&out[t], bins[t]);
    if (t == 8) atomicMax(&out[8], most);
    for (unsigned old = 0, seen = ~0u; old != seen;) { // adds, by comparing and swapping
        seen = old;
        old = atomicCAS(&out[9], seen, seen + in[t]);
    }
}

// ---- Threads of a warp.

KERNEL votes PARAMETERS {
    unsigned t = threadIdx.x, p = in[t] & 1;
    out[4 * t] = __ballot_sync(0xffffffff, p);
    out[4 * t + 1] = (__all_sync(0xffffffff, p) != 0) | (__any_sync(0xffffffff, p) != 0) << 1;
    if (t % 32 < 20) out[4 * t + 2] = __ballot_sync(0xfffff, p);
    else out[4 * t + 2] = __ballot_sync(0xfff00000, !p);
    __syncwarp();
    out[4 * t + 3] = __uni_sync(0xffffffff, p) != 0;
}

// The same function in two branches is called twice, by other threads.
KERNEL branches PARAMETERS {
    unsigned t = threadIdx.x, v = in[t];
    if (t % 32 < 12) {
        out[t] = __activemask() & 0xfffff000;
        v += 7;
    } else {
        out[t] = __activemask() & 0xfff;
        v *= 3;
    }
    out[32 + t] = v;
}

KERNEL matches PARAMETERS {
    unsigned t = threadIdx.x;
    int is_same;
    out[4 * t] = __match_any_sync(0xffffffff, in[t] % 3);
    out[4 * t + 1] = __match_all_sync(0xffffffff, in[t] % 3, &is_same) | is_same;
    out[4 * t + 2] = __reduce_add_sync(0xffffffff, in[t]);
    out[4 * t + 3] = __reduce_min_sync(0xffffffff, in[t]) ^ __reduce_xor_sync(0xffffffff, in[t]);
}

KERNEL shuffles PARAMETERS {
    unsigned t = threadIdx.x, v = in[t], sum = v, before = v;
    for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffff, sum, by);
    for (int by = 1; by < 32; by *= 2) {
        unsigned other = __shfl_up_sync(0xffffffff, before, by);
        if (t % 32 >= by) before += other;
    }
    unsigned long long wide = (unsigned long long)v << 32 | t;
    wide = __shfl_down_sync(0xffffffff, wide, 3);
    out[4 * t] = sum;
    out[4 * t + 1] = before;
    out[4 * t + 2] = (unsigned)(wide >> 32) ^ (unsigned)wide;
    out[4 * t + 3] = __shfl_sync(0xffffffff, v, 5, 8);
}

KERNEL warp_exchange PARAMETERS {
    __shared__ unsigned cells[32];
    unsigned t = threadIdx.x;
    cells[t] = in[t];
    __syncwarp();
    unsigned other = cells[t ^ 1];
    __syncwarp();
    cells[t] = other + t;
    __syncwarp();
    out[t] = cells[31 - t];
}

// Each thread goes round as often as it needs to.
KERNEL rounds PARAMETERS {
    unsigned t = threadIdx.x, v = in[t] % 97 + 1, count = 0;
    while (v != 1) {
        v = v % 2 == 0 ? v / 2 : 3 * v + 1;
        ++count;
    }
    __syncwarp();
    out[2 * t] = count;
    out[2 * t + 1] = __ballot_sync(0xffffffff, count % 2);
}

KERNEL copied_beside PARAMETERS {
    __shared__ unsigned cells[64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&cells[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = cells[63 - t];
}

// ---- Values.

struct Record {
    char a;
    short b;
    unsigned c[3];
    long long d;
};
static __device__ __attribute__((noinline)) Record made(unsigned v) {
    Record r;
    r.a = (char)v;
    r.b = (short)(v >> 8);
    for (int i = 0; i < 3; ++i) r.c[i] = v * (i + 1);
    r.d = -(long long)v;
    return r;
}
KERNEL records PARAMETERS {
    __shared__ Record held[32];
    unsigned t = threadIdx.x;
    Record mine[3] = {made(in[t]), made(in[t] + 1), made(in[t] ^ 0x8080)};
    Record one = mine[in[t] % 3];
    held[t] = one;
    __syncthreads();
    Record other = held[31 - t];
    out[4 * t] = (unsigned)other.a;
    out[4 * t + 1] = (unsigned)other.b;
    out[4 * t + 2] = other.c[in[t] % 3];
    out[4 * t + 3] = (unsigned)(other.d >> 4);
}

// Each line has a number of its own, so that nothing is computed once for two of them.
#define WIDE(i) ((const long long *)in)[(t + i) % 32]
KERNEL signs PARAMETERS {
    unsigned t = threadIdx.x;
    long long a = WIDE(0), b = WIDE(1), c = WIDE(2), d = WIDE(3), e = WIDE(4), f = WIDE(5);
    long long g = WIDE(8), h = WIDE(9);
    int y = (int)in[2 * ((t + 6) % 32) + 1], z = (int)in[2 * ((t + 7) % 32) + 1];
    out += 12 * t;
    out[0] = a < 0 ? 7 : 0;
    out[1] = (unsigned)((b >> 63) & 7);
    out[2] = (unsigned)((c >> 60) & 0xff);
    out[3] = y < 0 ? 7 : 0;
    out[4] = (unsigned)((z >> 28) & 0x3f);
    out[5] = (d > -2) | ((unsigned long long)d > 1ull << 63) << 1 | (d == z) << 2;
    out[6] = (unsigned)((unsigned long long)e >> 61 & 0xf) | (unsigned)(e >> 33 & 0xffff) << 8;
    out[7] = (unsigned)((long long)((unsigned long long)f << 5) >> 37);
    ((unsigned long long *)out)[4] = g < 0 ? 7 : 0;
    ((unsigned long long *)out)[5] = (h >> 63) & 7;
}

KERNEL products PARAMETERS {
    unsigned t = threadIdx.x;
    unsigned long long x = (unsigned long long)in[2 * t + 1] << 32 | in[2 * t];
    long long s = (long long)x;
    out += 8 * t;
    out[0] = (unsigned)(x / 7);
    out[1] = (unsigned)(s % 10);
    out[2] = (unsigned)(s / 8);
    out[3] = (unsigned)(x * x >> 32);
    out[4] = (unsigned)(__umul64hi(x, x) >> 7);
    out[5] = __umulhi(in[2 * t], in[2 * t + 1]);
    out[6] = (int)in[2 * t] / 16;
    out[7] = in[2 * t + 1] % 1000;
}

KERNEL indexed PARAMETERS {
    unsigned t = threadIdx.x, counts[5] = {0, 0, 0, 0, 0};
    for (unsigned i = 0; i < 16; ++i) ++counts[in[(t + i) % 32] % 5];
    unsigned all = 0;
    for (unsigned i = 0; i < 5; ++i) all = all * 17 + counts[i];
    switch (in[t] % 6) {
    case 0: all += 3; break;
    case 1: all ^= 0x55; break;
    case 2: all *= 5; // and so on
    case 3: all -= 1; break;
    case 4: all = ~all; break;
    default: break;
    }
    out[t] = all;
}

KERNEL conversions PARAMETERS {
    unsigned t = threadIdx.x;
    int v = (int)in[t];
    float f = (float)v;
    out[4 * t] = __float_as_uint(f);
    out[4 * t + 1] = (unsigned)(int)(f / 3.0f);
    out[4 * t + 2] = __float_as_uint(sqrtf(fabsf(f)));
    out[4 * t + 3] = (unsigned)((double)v * 0.5 < -1.0e8) | (unsigned)(fminf(f, 12.0f) == f) << 1;
}
