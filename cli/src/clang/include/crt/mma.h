// What this header of CUDA declares is in the first one of this name.
#pragma once
#include "../mma.h"
