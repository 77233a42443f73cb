// What this header of CUDA declares is in the one that it helps.
#pragma once
#include "cuda_awbarrier_primitives.h"
