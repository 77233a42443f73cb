// The generator MRG32k3a (L'Ecuyer: "Good Parameters and Implementations for Combined Multiple
// Recursive Random Number Generators", Operations Research 47, 1999).
//
// Subsequences are 2^76 numbers apart, sequences 2^127 (L'Ecuyer, Simard, Chen, Kelton: "An
// Object-Oriented Random-Number Package with Many Long Streams and Substreams", Operations Research
// 50, 2002; cuRAND guide, "Skip-Ahead"). The seed 0 is the state of 12345s of the paper; others are
// multiplied into it as cuRAND's header shows.
#pragma once
#include "curand.h"
#include "curand_globals.h"
#include "warpsim/curand_common.h"

#define MRG32K3A_MOD1 4294967087.
#define MRG32K3A_MOD2 4294944443.
// A little less than 1 / MOD1, and (2^32 - 1) / MOD1.
#define MRG32K3A_NORM (2.3283065498378288e-10)
#define MRG32K3A_BITS_NORM 1.000000048662

typedef struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    __warpsim_curand_extra
} curandStateMRG32k3a_t;

// The modulus of each component.
#define __warpsim_mrg_modulus(component) ((component) ? 4294944443u : 4294967087u)
__warpsim_device unsigned __warpsim_mrg_times(unsigned long long a, unsigned long long b,
                                              unsigned m) {
    return (unsigned)(a * b % m);
}

// Matrices of each component.
//
// One step: x(n) = 1403580 x(n-2) - 810728 x(n-3), and y(n) = 527612 y(n-1) - 1370589 y(n-3).
static __device__ const unsigned __warpsim_mrg_steps[2][3][3] = {
    {{0, 1, 0}, {0, 0, 1}, {4294156359u, 1403580, 0}},
    {{0, 1, 0}, {0, 0, 1}, {4293573854u, 0, 527612}},
};
// 2^76 and 2^127 steps, as the package prints them.
static __device__ const unsigned __warpsim_mrg_subsequences[2][3][3] = {
    {{82758667, 1871391091, 4127413238u},
     {3672831523u, 69195019, 1871391091},
     {3672091415u, 3528743235u, 69195019}},
    {{1511326704, 3759209742u, 1610795712},
     {4292754251u, 1511326704, 3889917532u},
     {3859662829u, 4292754251u, 3708466080u}},
};
static __device__ const unsigned __warpsim_mrg_sequences[2][3][3] = {
    {{2427906178u, 3580155704u, 949770784},
     {226153695, 1230515664, 3580155704u},
     {1988835001, 986791581, 1230515664}},
    {{1464411153, 277697599, 1610723613},
     {32183930, 1464411153, 1022607788},
     {2824425944u, 32183930, 2093834863}},
};

// n times what a matrix is.
__warpsim_device void __warpsim_mrg_jump(unsigned long long n, const unsigned (&matrices)[2][3][3],
                                         curandStateMRG32k3a_t *state) {
#pragma unroll
    for (int c = 0; c < 2; c++) {
        unsigned m = __warpsim_mrg_modulus(c), a[3][3], s[3], *to = c ? state->s2 : state->s1;
        for (int i = 0; i < 9; i++) a[i / 3][i % 3] = matrices[c][i / 3][i % 3];
        for (int i = 0; i < 3; i++) s[i] = to[i];
#pragma clang loop unroll(disable)
        for (unsigned long long left = n; left; left >>= 1) {
            if (left & 1) {
                unsigned long long sums[3] = {};
                for (int i = 0; i < 9; i++)
                    sums[i / 3] += __warpsim_mrg_times(a[i / 3][i % 3], s[i % 3], m);
                for (int i = 0; i < 3; i++) s[i] = (unsigned)(sums[i] % m);
            }
            unsigned long long square[3][3] = {};
#pragma unroll
            for (int i = 0; i < 27; i++) {
                int row = i / 9, column = i / 3 % 3, k = i % 3;
                square[row][column] += __warpsim_mrg_times(a[row][k], a[k][column], m);
            }
            for (int i = 0; i < 9; i++) a[i / 3][i % 3] = (unsigned)(square[i / 3][i % 3] % m);
        }
        for (int i = 0; i < 3; i++) to[i] = s[i];
    }
}
__warpsim_device void skipahead(unsigned long long n, curandStateMRG32k3a_t *state) {
    __warpsim_mrg_jump(n, __warpsim_mrg_steps, state);
}
__warpsim_device void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state) {
    __warpsim_mrg_jump(n, __warpsim_mrg_subsequences, state);
}
__warpsim_device void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state) {
    __warpsim_mrg_jump(n, __warpsim_mrg_sequences, state);
}
__warpsim_device void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStateMRG32k3a_t *state) {
    *state = {{12345, 12345, 12345}, {12345, 12345, 12345}, 0, 0, 0.0f, 0.0};
    if (seed != 0) {
        unsigned factors[2] = {(unsigned)seed ^ 0x55555555u, (unsigned)(seed >> 32) ^ 0xaaaaaaaau};
        for (int i = 0; i < 3; i++) {
            state->s1[i] = __warpsim_mrg_times(factors[i & 1], 12345, __warpsim_mrg_modulus(0));
            state->s2[i] = __warpsim_mrg_times(factors[~i & 1], 12345, __warpsim_mrg_modulus(1));
        }
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}
// The paper's numbers before it divides them: from 1 to MOD1.
__warpsim_device double curand_MRG32k3a(curandStateMRG32k3a_t *state) {
    const unsigned m1 = __warpsim_mrg_modulus(0), m2 = __warpsim_mrg_modulus(1);
    unsigned *s = state->s1, *t = state->s2;
    unsigned p = (unsigned)((1403580ull * s[1] + 810728ull * (m1 - s[0])) % m1);
    unsigned q = (unsigned)((527612ull * t[2] + 1370589ull * (m2 - t[0])) % m2);
    s[0] = s[1], s[1] = s[2], s[2] = p;
    t[0] = t[1], t[1] = t[2], t[2] = q;
    return p > q ? p - q : p - q + m1;
}
__warpsim_device unsigned int curand(curandStateMRG32k3a_t *state) {
    return (unsigned)(curand_MRG32k3a(state) * MRG32K3A_BITS_NORM);
}
