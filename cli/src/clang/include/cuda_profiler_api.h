// What tells a profiler when to look (CUDA Runtime API reference, version 12.9, "Profiler Control").
#if !defined(__CUDA_PROFILER_API_H__)
#define __CUDA_PROFILER_API_H__
#include "driver_types.h"
#include "warpsim/c.h"
__warpsim_begin_c
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
__warpsim_end_c
#endif
