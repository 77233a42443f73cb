// The generator XORWOW (Marsaglia: "Xorshift RNGs", Journal of Statistical Software 8, 2003,
// chapter 3.1).
//
// Subsequences are 2^67 numbers apart (cuRAND guide, "Bit Generation with XORWOW and MRG32k3a
// generators"). The seed is scrambled into the paper's initial state as cuRAND's header shows.
#pragma once
#include "curand_common.h"
#include "curand_xorwow_jumps.h"

typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    __warpsim_curand_extra
} curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

// What the Weyl sequence adds at each step.
#define __warpsim_xorwow_weyl 362437u

// One step of the register whose oldest word is `a`; the new word takes its place.
#define __warpsim_xorwow_step(a, e) (a ^= a >> 2, a = (e ^ e << 4) ^ (a ^ a << 1))

// Applies a polynomial of the step to the register.
__warpsim_device void __warpsim_xorwow_apply(const unsigned (&polynomial)[5], unsigned (&v)[5]) {
    unsigned p[5], s[5], sum[5] = {};
    for (int i = 0; i < 5; i++) p[i] = polynomial[i], s[i] = v[i];
#pragma clang loop unroll(disable)
    for (int g = 0; g < 32; g++) {
#pragma unroll
        for (int j = 0; j < 5; j++) {
            unsigned mask = 0u - (p[j] >> g & 1);
            for (int k = 0; k < 5; k++) sum[k] ^= s[(j + k) % 5] & mask;
            __warpsim_xorwow_step(s[j], s[(j + 4) % 5]);
        }
    }
    for (int i = 0; i < 5; i++) v[i] = sum[i];
}
__warpsim_device void __warpsim_xorwow_jump(unsigned long long n,
                                            const unsigned (&table)[16][15][5],
                                            curandStateXORWOW_t *state) {
    unsigned v[5];
    for (int i = 0; i < 5; i++) v[i] = state->v[i];
#pragma clang loop unroll(disable)
    for (int i = 0; n; i++, n >>= 4) {
        if (n & 15) __warpsim_xorwow_apply(table[i][(n & 15) - 1], v);
    }
    for (int i = 0; i < 5; i++) state->v[i] = v[i];
}

__warpsim_device void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
    __warpsim_xorwow_jump(n, __warpsim_xorwow_steps, state);
    state->d += __warpsim_xorwow_weyl * (unsigned)n;
}
// 2^67 steps are a whole number of rounds of the Weyl sequence.
__warpsim_device void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
    __warpsim_xorwow_jump(n, __warpsim_xorwow_sequences, state);
}
__warpsim_device void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStateXORWOW_t *state) {
    unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    *state = {
        6615241u + high + low,
        {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
        0,
        0,
        0.0f,
        0.0};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
__warpsim_device unsigned int curand(curandStateXORWOW_t *state) {
    unsigned next = state->v[0];
    __warpsim_xorwow_step(next, state->v[4]);
    for (int i = 0; i < 4; i++) state->v[i] = state->v[i + 1];
    state->v[4] = next;
    state->d += __warpsim_xorwow_weyl;
    return next + state->d;
}
