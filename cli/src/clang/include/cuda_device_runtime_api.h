// The runtime API of device code (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism") is
// missing: kernels start no kernels.
#if !defined(__CUDA_DEVICE_RUNTIME_API_H__)
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "crt/host_defines.h"
#include "driver_types.h"
#endif
