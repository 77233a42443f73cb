// The generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1,
// 2, 3", SC 2011).
//
// The counter's lower half counts blocks of four numbers, its upper half is the subsequence; the
// key is the seed (cuRAND guide, "Bit Generation with Philox_4x32_10 generator").
#pragma once
#include "curand.h"
#include "curand_globals.h"
#include "warpsim/curand_common.h"

#define PHILOX_W32_0 0x9E3779B9
#define PHILOX_W32_1 0xBB67AE85
#define PHILOX_M4x32_0 0xD2511F53
#define PHILOX_M4x32_1 0xCD9E8D57

typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output; // `output` is what the counter gives
    uint2 key;
    unsigned int STATE; // which word of `output` comes next
    __warpsim_curand_extra
} curandStatePhilox4_32_10_t;

__warpsim_device uint4 curand_Philox4x32_10(uint4 counter, uint2 key) {
#pragma unroll
    for (int round = 0; round < 10; round++) {
        unsigned long long a = (unsigned long long)PHILOX_M4x32_0 * counter.x;
        unsigned long long b = (unsigned long long)PHILOX_M4x32_1 * counter.z;
        counter = make_uint4((unsigned)(b >> 32) ^ counter.y ^ key.x, (unsigned)b,
                             (unsigned)(a >> 32) ^ counter.w ^ key.y, (unsigned)a);
        key.x += PHILOX_W32_0;
        key.y += PHILOX_W32_1;
    }
    return counter;
}

// The counter as two numbers of 64 bits; a carry of the lower goes on into the upper.
__warpsim_device void __warpsim_curand_count(curandStatePhilox4_32_10_t *s,
                                             unsigned long long blocks,
                                             unsigned long long sequences) {
    unsigned long long low = s->ctr.x | (unsigned long long)s->ctr.y << 32;
    unsigned long long high = s->ctr.z | (unsigned long long)s->ctr.w << 32;
    low += blocks;
    high += sequences + (low < blocks);
    s->ctr =
        make_uint4((unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32));
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
__warpsim_device void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    unsigned long long at = state->STATE + (n & 3);
    state->STATE = at & 3;
    __warpsim_curand_count(state, n / 4 + at / 4, 0);
}
__warpsim_device void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    __warpsim_curand_count(state, 0, n);
}
__warpsim_device void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStatePhilox4_32_10_t *state) {
    *state = {};
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->STATE = offset & 3;
    __warpsim_curand_count(state, offset / 4, subsequence);
}
__warpsim_device unsigned int curand(curandStatePhilox4_32_10_t *state) {
    uint4 o = state->output;
    unsigned at = state->STATE++;
    unsigned r = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
    if (at >= 3) {
        state->STATE = 0;
        __warpsim_curand_count(state, 1, 0);
    }
    return r;
}
// The next four numbers, wherever the state is in a block.
__warpsim_device uint4 curand4(curandStatePhilox4_32_10_t *state) {
    uint4 a = state->output;
    __warpsim_curand_count(state, 1, 0);
    uint4 b = state->output;
    switch (state->STATE) {
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    case 3: return make_uint4(a.w, b.x, b.y, b.z);
    default: return a;
    }
}
