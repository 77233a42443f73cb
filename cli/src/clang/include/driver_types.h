// Types of the runtime API (CUDA Runtime API reference, version 12.9, "Data types used by CUDA
// Runtime"): the parts, in the order in which they need each other.
#if !defined(__DRIVER_TYPES_H__)
#define __DRIVER_TYPES_H__
#include <limits.h>
#include <stddef.h>
#include "crt/host_defines.h"
#include "vector_types.h"
#include "warpsim/runtime/flags.h"
#include "warpsim/runtime/errors.h"
#include "warpsim/runtime/arrays.h"
#include "warpsim/runtime/devices.h"
#include "warpsim/runtime/pools.h"
#include "warpsim/runtime/external.h"
#include "warpsim/runtime/graph_types.h"
#include "warpsim/runtime/types_13.h"
#endif
