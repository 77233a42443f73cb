//! The headers of host code that files of kernels begin with.
//!
//! NVRTC has none of these files. NVRTC itself declares the parts that device code needs, including
//! `printf` and `assert`. So the headers are passed to it as texts, with the few types and
//! constants of C that it does not declare. If a folder has the real header, NVRTC reads that one.

/// Types of fixed width, as they are on all 64-bit systems.
const STDINT: &str = "#pragma once
typedef signed char int8_t; typedef unsigned char uint8_t;
typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t;
typedef long long int64_t; typedef unsigned long long uint64_t;
typedef long long intptr_t; typedef unsigned long long uintptr_t;
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
";

const LIMITS: &str = "#pragma once
#define CHAR_BIT 8
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
";

const FLOAT: &str = "#pragma once
#define FLT_MIN 1.17549435e-38F
#define FLT_MAX 3.40282347e+38F
#define FLT_EPSILON 1.19209290e-07F
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
";

const MATH: &str = "#pragma once
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
";

/// Names and texts. An empty text says that NVRTC itself has what device code uses of the header.
const HEADERS: [(&str, &str); 23] = [
    ("cuda.h", ""),
    ("cuda_runtime.h", ""),
    ("cuda_runtime_api.h", ""),
    ("device_launch_parameters.h", ""),
    ("device_functions.h", ""),
    ("assert.h", ""),
    ("cassert", ""),
    ("stdio.h", ""),
    ("cstdio", ""),
    ("stdlib.h", ""),
    ("cstdlib", ""),
    ("string.h", ""),
    ("cstring", ""),
    ("stddef.h", ""),
    ("cstddef", ""),
    ("math.h", MATH),
    ("cmath", MATH),
    ("stdint.h", STDINT),
    ("cstdint", STDINT),
    ("limits.h", LIMITS),
    ("climits", LIMITS),
    ("float.h", FLOAT),
    ("cfloat", FLOAT),
];

/// Those that none of the folders has.
pub(crate) fn missing_in(
    folders: &[std::path::PathBuf],
) -> impl Iterator<Item = (&'static str, &'static str)> {
    HEADERS.into_iter().filter(|(name, _)| !folders.iter().any(|f| f.join(name).is_file()))
}
