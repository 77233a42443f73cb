// What this header of CUDA declares is in the first one.
#pragma once
#include "../warpsim_cuda.h"
