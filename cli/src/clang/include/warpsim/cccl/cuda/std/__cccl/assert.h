// Found before the header of this name in NVIDIA's C++ libraries (CCCL). Where NDEBUG is set, that
// one declares `__assert_fail` for host and device, which clang takes for one function with the
// host's. So it is read as without NDEBUG: the host's declaration is glibc's, and the device's
// ours.
#pragma once
#ifdef NDEBUG
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <assert.h>
#include_next <cuda/std/__cccl/assert.h>
#pragma pop_macro("NDEBUG")
// The macro `assert` as NDEBUG has it.
#include <assert.h>
#else
#include_next <cuda/std/__cccl/assert.h>
#endif
