// What this header of CUDA defines is in the header that it belongs to.
#pragma once
#include "cuda_bf16.h"
