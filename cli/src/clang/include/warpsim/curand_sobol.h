// The generators of Sobol's sequences, of 32 and 64 bits, plain and scrambled (cuRAND guide,
// "Quasirandom Sequences"; Bratley and Fox: "Algorithm 659", ACM Transactions on Mathematical
// Software 14, 1988).
//
// A number is the exclusive or of the direction vectors that the Gray code of its index has. What
// scrambles is in the vectors, and in a constant that is added without carry.
#pragma once
#include "curand_common.h"

#define __warpsim_sobol(name, T, bits, vectors)                                                 \
    typedef struct name {                                                                       \
        T i, x, c, direction_vectors[bits];                                                     \
    } name##_t;                                                                                 \
    __warpsim_device void skipahead(T n, name##_t *state) {                                     \
        state->i += n;                                                                          \
        T gray = state->i ^ state->i >> 1, x = state->c;                                        \
        for (int k = 0; gray; k++, gray >>= 1) x ^= gray & 1 ? state->direction_vectors[k] : 0; \
        state->x = x;                                                                           \
    }                                                                                           \
    __warpsim_device T curand(name##_t *state) {                                                \
        T x = state->x;                                                                         \
        int bit = state->i == (T) - 1 ? bits - 1 : __warpsim_sobol_zeros(~state->i);            \
        state->x ^= state->direction_vectors[bit];                                              \
        state->i++;                                                                             \
        return x;                                                                               \
    }                                                                                           \
    __warpsim_device void __warpsim_sobol_start(const T *v, T constant, T offset,               \
                                                name##_t *state) {                              \
        state->i = 0;                                                                           \
        state->c = constant;                                                                    \
        for (int k = 0; k < bits; k++) state->direction_vectors[k] = v[k];                      \
        skipahead(offset, state);                                                               \
    }
#define __warpsim_sobol_plain(name, T, bits, vectors)                                              \
    __warpsim_sobol(name, T, bits, vectors) __warpsim_device void curand_init(vectors v, T offset, \
                                                                              name##_t *state) {   \
        __warpsim_sobol_start(v, 0, offset, state);                                                \
    }
#define __warpsim_sobol_scrambled(name, T, bits, vectors)                      \
    __warpsim_sobol(name, T, bits, vectors) __warpsim_device void curand_init( \
        vectors v, T constant, T offset, name##_t *state) {                    \
        __warpsim_sobol_start(v, constant, offset, state);                     \
    }
__warpsim_device int __warpsim_sobol_zeros(unsigned x) { return __builtin_ctz(x); }
__warpsim_device int __warpsim_sobol_zeros(unsigned long long x) { return __builtin_ctzll(x); }

__warpsim_sobol_plain(curandStateSobol32, unsigned int, 32, curandDirectionVectors32_t)
    __warpsim_sobol_scrambled(curandStateScrambledSobol32, unsigned int, 32,
                              curandDirectionVectors32_t)
        __warpsim_sobol_plain(curandStateSobol64, unsigned long long, 64,
                              curandDirectionVectors64_t)
            __warpsim_sobol_scrambled(curandStateScrambledSobol64, unsigned long long, 64,
                                      curandDirectionVectors64_t)
#undef __warpsim_sobol_plain
#undef __warpsim_sobol_scrambled
#undef __warpsim_sobol
