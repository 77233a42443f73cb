// How numbers are rounded (CUDA Runtime API reference, version 12.9, "Data types used by CUDA Runtime").
#if !defined(__DEVICE_TYPES_H__)
#define __DEVICE_TYPES_H__
#include "crt/host_defines.h"
enum cudaRoundMode { cudaRoundNearest = 0, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif
