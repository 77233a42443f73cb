// Reductions (CUDA C++ Programming Guide, "Cooperative Groups", "reduce"). Values are combined in
// the order of CUDA's headers, so that sums of floating-point numbers have the same bits.
// Operations are associative and commutative.
#pragma once
#define _COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
#include "details/collectives.h"
