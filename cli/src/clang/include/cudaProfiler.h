// What tells a profiler when to look (CUDA Driver API reference, version 12.9, "Profiler
// Control").
#if !defined(cuda_profiler_H)
#define cuda_profiler_H
#include "cuda.h"
#include "warpsim/c.h"

typedef enum CUoutput_mode_enum { CU_OUT_KEY_VALUE_PAIR = 0, CU_OUT_CSV = 1 } CUoutput_mode;
__warpsim_begin_c
__warpsim_deprecated CUresult CUDAAPI cuProfilerInitialize(const char *, const char *,
    CUoutput_mode);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
__warpsim_end_c
#endif
