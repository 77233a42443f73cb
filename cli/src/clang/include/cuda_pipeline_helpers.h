// What this header of CUDA declares is in the one that it helps.
#pragma once
#include "cuda_pipeline_primitives.h"
