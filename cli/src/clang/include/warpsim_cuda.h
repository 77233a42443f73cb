// CUDA's common language for clang, where no headers of NVIDIA's are: `warpsim exec FILE.cu` includes this before FILE.cu.
//
// It stands for cuda_runtime.h and what that includes. Each part names the chapter of the CUDA C++ Programming Guide or of
// the API's reference that it follows. What is missing is a compile error that names it.
#pragma once
#if !defined(__clang__) || !defined(__CUDA__)
#error "compile this with clang, as CUDA"
#endif

// C++17 has no `register`, which older programs have: what other compilers warn of is no error here.
#pragma clang diagnostic warning "-Wregister"
// And `"text"NAME`, where NAME is a macro, is a literal and a name, as before user-defined literals.
#pragma clang diagnostic warning "-Wreserved-user-defined-literal"

#include "warpsim/language.h"
#include "warpsim/math_library.h"
#include "warpsim/integers.h"
#include "warpsim/simd_extremes.h"
#include "warpsim/math_complex.h"
#include "warpsim/conversions.h"
#include "warpsim/host.h"
#include "warpsim/threads.h"
#include "warpsim/warp_legacy.h"
#include "warpsim/clusters.h"
#include "warpsim/memory.h"
#include "warpsim/atomics.h"
#include "cuda_runtime.h"
#include "cuda_device_runtime_api.h"
#include "warpsim/managed.h"
#include "warpsim/textures.h"
#include "warpsim/texture_references.h"
