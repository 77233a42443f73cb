// The functions of a 16-bit number and of a pair: included once for `__half`, once for
// `__nv_bfloat16`, after narrow_types.h.
//
// Document: the CUDA math API, "Half Precision Intrinsics" and "Bfloat16 Precision Intrinsics":
// conversion and data movement, arithmetic, math functions, loads and stores, shuffles,
// `atomicAdd`. Conversions to integers are for the host in all roundings, where CUDA has them in
// one. What goes through float is within one unit of the last place.

// From the host's numbers, in all roundings.
#define __warpsim_made(name, T, Wide, way, host)                                                   \
    __warpsim_both __warpsim_One name(const T v) {                                                 \
        return __warpsim_One::__warpsim_of(__warpsim_here(                                         \
            __warpsim_F::way((Wide)v), __warpsim_F::host((Wide)v, __warpsim_##way)));              \
    }
#define __warpsim_made_all(prefix, T, Wide, host)                                                  \
    __warpsim_made(__warpsim_name(prefix, _rn), T, Wide, nearest, host)                            \
    __warpsim_made(__warpsim_name(prefix, _rz), T, Wide, to_zero, host)                            \
    __warpsim_made(__warpsim_name(prefix, _ru), T, Wide, up, host)                                 \
    __warpsim_made(__warpsim_name(prefix, _rd), T, Wide, down, host)
__warpsim_made_all(__float2, float, float, round)
__warpsim_made(__warpsim_name(__float2, ), float, float, nearest, round)
__warpsim_made(__warpsim_name(__double2, ), double, double, nearest, round)
__warpsim_made_all(__short2, short, int, round_integer)
__warpsim_made_all(__ushort2, unsigned short, unsigned, round_integer)
__warpsim_made_all(__int2, int, int, round_integer)
__warpsim_made_all(__uint2, unsigned, unsigned, round_integer)
__warpsim_made_all(__ll2, long long, long long, round_integer)
__warpsim_made_all(__ull2, unsigned long long, unsigned long long, round_integer)
#undef __warpsim_made
#undef __warpsim_made_all

// To them.
__warpsim_both float __warpsim_name(__, 2float)(const __warpsim_One v) {
    return v.__warpsim_single();
}
#define __warpsim_whole_of(T, type)                                                                \
    __warpsim_both T __warpsim_name(__, 2##type##_rz)(const __warpsim_One v) {                     \
        return __warpsim_whole<T>(v.__warpsim_single(), __warpsim_to_zero);                        \
    }
#define __warpsim_whole_all(T, type)                                                               \
    __warpsim_whole_of(T, type)                                                                    \
    __warpsim_both T __warpsim_name(__, 2##type##_rn)(const __warpsim_One v) {                     \
        return __warpsim_whole<T>(v.__warpsim_single(), __warpsim_nearest);                        \
    }                                                                                              \
    __warpsim_both T __warpsim_name(__, 2##type##_ru)(const __warpsim_One v) {                     \
        return __warpsim_whole<T>(v.__warpsim_single(), __warpsim_up);                             \
    }                                                                                              \
    __warpsim_both T __warpsim_name(__, 2##type##_rd)(const __warpsim_One v) {                     \
        return __warpsim_whole<T>(v.__warpsim_single(), __warpsim_down);                           \
    }
__warpsim_whole_of(signed char, char)
__warpsim_whole_of(unsigned char, uchar)
__warpsim_whole_all(short, short)
__warpsim_whole_all(unsigned short, ushort)
__warpsim_whole_all(int, int)
__warpsim_whole_all(unsigned, uint)
__warpsim_whole_all(long long, ll)
__warpsim_whole_all(unsigned long long, ull)
#undef __warpsim_whole_of
#undef __warpsim_whole_all

// The bits, and the parts of pairs.
__warpsim_both __warpsim_One __warpsim_name(__ushort_as_, )(const unsigned short bits) {
    return __warpsim_One::__warpsim_of(bits);
}
__warpsim_both __warpsim_One __warpsim_name(__short_as_, )(const short bits) {
    return __warpsim_One::__warpsim_of((unsigned short)bits);
}
__warpsim_both unsigned short __warpsim_name(__, _as_ushort)(const __warpsim_One v) {
    return v.__x;
}
__warpsim_both short __warpsim_name(__, _as_short)(const __warpsim_One v) { return (short)v.__x; }
__warpsim_both __warpsim_Two __warpsim_name(__halves2, 2)(const __warpsim_One a,
                                                          const __warpsim_One b) {
    return __warpsim_Two(a, b);
}
__warpsim_both __warpsim_Two __warpsim_name(make_, 2)(const __warpsim_One a,
                                                      const __warpsim_One b) {
    return __warpsim_Two(a, b);
}
__warpsim_both __warpsim_Two __warpsim_twice_name(const __warpsim_One a) {
    return __warpsim_Two(a, a);
}
__warpsim_both __warpsim_One __warpsim_name(__low2, )(const __warpsim_Two a) { return a.x; }
__warpsim_both __warpsim_One __warpsim_name(__high2, )(const __warpsim_Two a) { return a.y; }
__warpsim_both __warpsim_Two __warpsim_name(__low2, 2)(const __warpsim_Two a) {
    return __warpsim_Two(a.x, a.x);
}
__warpsim_both __warpsim_Two __warpsim_name(__high2, 2)(const __warpsim_Two a) {
    return __warpsim_Two(a.y, a.y);
}
__warpsim_both __warpsim_Two __warpsim_name(__lows2, 2)(const __warpsim_Two a,
                                                        const __warpsim_Two b) {
    return __warpsim_Two(a.x, b.x);
}
__warpsim_both __warpsim_Two __warpsim_name(__highs2, 2)(const __warpsim_Two a,
                                                         const __warpsim_Two b) {
    return __warpsim_Two(a.y, b.y);
}
__warpsim_both __warpsim_Two __lowhigh2highlow(const __warpsim_Two a) {
    return __warpsim_Two(a.y, a.x);
}
__warpsim_both float __low2float(const __warpsim_Two a) { return a.x.__warpsim_single(); }
__warpsim_both float __high2float(const __warpsim_Two a) { return a.y.__warpsim_single(); }
__warpsim_both __warpsim_Two __warpsim_name(__floats2, 2_rn)(const float a, const float b) {
    return __warpsim_Two(__warpsim_name(__float2, _rn)(a), __warpsim_name(__float2, _rn)(b));
}
__warpsim_both __warpsim_Two __warpsim_name(__float2, 2_rn)(const float v) {
    return __warpsim_name(__floats2, 2_rn)(v, v);
}
__warpsim_both __warpsim_Two __warpsim_name(__float22, 2_rn)(const float2 v) {
    return __warpsim_name(__floats2, 2_rn)(v.x, v.y);
}
__warpsim_both float2 __warpsim_name(__, 22float2)(const __warpsim_Two v) {
    float2 r = {v.x.__warpsim_single(), v.y.__warpsim_single()};
    return r;
}

// The least and the greatest; a NaN loses, `_nan`: wins.
#ifdef __warpsim_has_extremes
#define __warpsim_extreme(device, a, b, is_greatest, nan_wins) __warpsim_F::device(a, b)
#else
#define __warpsim_extreme(device, a, b, is_greatest, nan_wins)                                     \
    __warpsim_ordered<__warpsim_F>::pick(a, b, is_greatest, nan_wins)
#endif
#define __warpsim_extremes(name, is_greatest)                                                      \
    __warpsim_both __warpsim_One __h##name(const __warpsim_One a, const __warpsim_One b) {         \
        return __warpsim_One::__warpsim_of(                                                        \
            __warpsim_extreme(name, a.__x, b.__x, is_greatest, false));                            \
    }                                                                                              \
    __warpsim_both __warpsim_One __h##name##_nan(const __warpsim_One a, const __warpsim_One b) {   \
        return __warpsim_One::__warpsim_of(                                                        \
            __warpsim_extreme(name##_nan, a.__x, b.__x, is_greatest, true));                       \
    }                                                                                              \
    __warpsim_both __warpsim_Two __h##name##2(const __warpsim_Two a, const __warpsim_Two b) {      \
        return __warpsim_Two::__warpsim_of(                                                        \
            __warpsim_extreme(name, a.__warpsim_word(), b.__warpsim_word(), is_greatest, false));  \
    }                                                                                              \
    __warpsim_both __warpsim_Two __h##name##2_nan(const __warpsim_Two a, const __warpsim_Two b) {  \
        return __warpsim_Two::__warpsim_of(__warpsim_extreme(                                      \
            name##_nan, a.__warpsim_word(), b.__warpsim_word(), is_greatest, true));               \
    }
__warpsim_extremes(min, false)
__warpsim_extremes(max, true)
#undef __warpsim_extremes
#undef __warpsim_extreme

#ifdef __CUDA__
// Products with a sum, rounded once; `_sat`: between 0 and 1; `_relu`: not below 0.
__warpsim_device __warpsim_One __hfma(const __warpsim_One a, const __warpsim_One b,
                                      const __warpsim_One c) {
    return __warpsim_One::__warpsim_of(__warpsim_F::fma(a.__x, b.__x, c.__x));
}
__warpsim_device __warpsim_Two __hfma2(const __warpsim_Two a, const __warpsim_Two b,
                                       const __warpsim_Two c) {
    return __warpsim_Two::__warpsim_of(
        __warpsim_F::fma(a.__warpsim_word(), b.__warpsim_word(), c.__warpsim_word()));
}
__warpsim_device __warpsim_One __hfma_sat(const __warpsim_One a, const __warpsim_One b,
                                          const __warpsim_One c) {
    return __warpsim_saturated(__hfma(a, b, c));
}
__warpsim_device __warpsim_Two __hfma2_sat(const __warpsim_Two a, const __warpsim_Two b,
                                           const __warpsim_Two c) {
    return __warpsim_saturated(__hfma2(a, b, c));
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__warpsim_device __warpsim_One __hfma_relu(const __warpsim_One a, const __warpsim_One b,
                                           const __warpsim_One c) {
    return __warpsim_One::__warpsim_of(__warpsim_F::fma_relu(a.__x, b.__x, c.__x));
}
__warpsim_device __warpsim_Two __hfma2_relu(const __warpsim_Two a, const __warpsim_Two b,
                                            const __warpsim_Two c) {
    return __warpsim_Two::__warpsim_of(
        __warpsim_F::fma_relu(a.__warpsim_word(), b.__warpsim_word(), c.__warpsim_word()));
}
#endif
// a * b + c of complex numbers (x is the real part), in four steps that round.
__warpsim_device __warpsim_Two __hcmadd(const __warpsim_Two a, const __warpsim_Two b,
                                        const __warpsim_Two c) {
    return __warpsim_Two(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                         __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

#define __warpsim_function(name, of)                                                               \
    __warpsim_device __warpsim_One h##name(const __warpsim_One a) {                                \
        return __warpsim_One::__warpsim_of(__warpsim_F::nearest((float)of(a.__warpsim_single()))); \
    }                                                                                              \
    __warpsim_device __warpsim_Two h2##name(const __warpsim_Two a) {                               \
        return __warpsim_Two(h##name(a.x), h##name(a.y));                                          \
    }
__warpsim_function(sqrt, sqrtf)
__warpsim_function(rsqrt, rsqrtf)
__warpsim_function(rcp, 1.0f /)
__warpsim_function(exp, expf)
__warpsim_function(exp2, exp2f)
__warpsim_function(exp10, exp10f)
__warpsim_function(log, logf)
__warpsim_function(log2, log2f)
__warpsim_function(log10, log10f)
__warpsim_function(sin, sinf)
__warpsim_function(cos, cosf)
__warpsim_function(tanh, tanhf)
__warpsim_function(floor, floorf)
__warpsim_function(ceil, ceilf)
__warpsim_function(trunc, truncf)
__warpsim_function(rint, rintf)
#undef __warpsim_function
__warpsim_device __warpsim_One htanh_approx(const __warpsim_One a) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= __warpsim_tanh_from
    return __warpsim_One::__warpsim_of(__warpsim_F::tanh_approx(a.__x));
#else
    return __warpsim_One::__warpsim_of(__warpsim_F::nearest(__tanhf(a.__warpsim_single())));
#endif
}
__warpsim_device __warpsim_Two h2tanh_approx(const __warpsim_Two a) {
    return __warpsim_Two(htanh_approx(a.x), htanh_approx(a.y));
}

// Other lanes' values.
#define __warpsim_shuffled(name, Extra)                                                            \
    __warpsim_device __warpsim_One name(const unsigned mask, const __warpsim_One v,                \
                                        const Extra by, const int width = 32) {                    \
        return __warpsim_One::__warpsim_of(name(mask, (unsigned)v.__x, by, width));                \
    }                                                                                              \
    __warpsim_device __warpsim_Two name(const unsigned mask, const __warpsim_Two v,                \
                                        const Extra by, const int width = 32) {                    \
        return __warpsim_Two::__warpsim_of(name(mask, v.__warpsim_word(), by, width));             \
    }
__warpsim_shuffled(__shfl_sync, int)
__warpsim_shuffled(__shfl_up_sync, unsigned)
__warpsim_shuffled(__shfl_down_sync, unsigned)
__warpsim_shuffled(__shfl_xor_sync, int)
#undef __warpsim_shuffled
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 700
#define __warpsim_shuffled(name, Extra)                                                            \
    __warpsim_device __warpsim_One name(const __warpsim_One v, const Extra by,                     \
                                        const int width = 32) {                                    \
        return __warpsim_One::__warpsim_of(name((unsigned)v.__x, by, width));                      \
    }                                                                                              \
    __warpsim_device __warpsim_Two name(const __warpsim_Two v, const Extra by,                     \
                                        const int width = 32) {                                    \
        return __warpsim_Two::__warpsim_of(name(v.__warpsim_word(), by, width));                   \
    }
__warpsim_shuffled(__shfl, int)
__warpsim_shuffled(__shfl_up, unsigned)
__warpsim_shuffled(__shfl_down, unsigned)
__warpsim_shuffled(__shfl_xor, int)
#undef __warpsim_shuffled
#endif

// Memory.
#define __warpsim_loaded(name)                                                                     \
    __warpsim_device __warpsim_One name(const __warpsim_One *const p) {                            \
        return __warpsim_One::__warpsim_of(name((const unsigned short *)p));                       \
    }                                                                                              \
    __warpsim_device __warpsim_Two name(const __warpsim_Two *const p) {                            \
        return __warpsim_Two::__warpsim_of(name((const unsigned *)p));                             \
    }
#define __warpsim_stored(name)                                                                     \
    __warpsim_device void name(__warpsim_One *const p, const __warpsim_One v) {                    \
        name((unsigned short *)p, v.__x);                                                          \
    }                                                                                              \
    __warpsim_device void name(__warpsim_Two *const p, const __warpsim_Two v) {                    \
        name((unsigned *)p, v.__warpsim_word());                                                   \
    }
__warpsim_loaded(__ldg)
__warpsim_loaded(__ldcg)
__warpsim_loaded(__ldca)
__warpsim_loaded(__ldcs)
__warpsim_loaded(__ldlu)
__warpsim_loaded(__ldcv)
__warpsim_stored(__stwb)
__warpsim_stored(__stcg)
__warpsim_stored(__stcs)
__warpsim_stored(__stwt)
#undef __warpsim_loaded
#undef __warpsim_stored

// A sum in one step, each number of a pair by itself. Where no instruction does it, the word is
// tried until nobody has changed it.
__warpsim_device __warpsim_Two atomicAdd(__warpsim_Two *const p, const __warpsim_Two v) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= __warpsim_atomics_from
    return __warpsim_Two::__warpsim_of(__warpsim_F::added((unsigned *)p, v.__warpsim_word()));
#else
    unsigned old = atomicCAS((unsigned *)p, 0u, 0u), seen;
    do {
        seen = old;
        old = atomicCAS((unsigned *)p, seen,
                        __hadd2(__warpsim_Two::__warpsim_of(seen), v).__warpsim_word());
    } while (old != seen);
    return __warpsim_Two::__warpsim_of(old);
#endif
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__warpsim_device __warpsim_One atomicAdd(__warpsim_One *const p, const __warpsim_One v) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= __warpsim_atomics_from
    return __warpsim_One::__warpsim_of(__warpsim_F::added((unsigned short *)p, v.__x));
#else
    unsigned short old = atomicCAS((unsigned short *)p, (unsigned short)0, (unsigned short)0), seen;
    do {
        seen = old;
        old =
            atomicCAS((unsigned short *)p, seen, __hadd(__warpsim_One::__warpsim_of(seen), v).__x);
    } while (old != seen);
    return __warpsim_One::__warpsim_of(old);
#endif
}
#endif
#endif
