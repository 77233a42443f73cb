// What this header of cuRAND has for curand_kernel.h is there.
#pragma once
#include "curand_kernel.h"
