// The driver API for C and C++ (CUDA Driver API reference, version 12.9, with the names that
// version 13 adds). What the library lacks answers `CUDA_ERROR_NOT_SUPPORTED`.
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#include <stdint.h>
#include <stdlib.h>

#define CUDA_VERSION 12090
#define CUDAAPI
#define CUDA_CB

#include "warpsim/driver/names.h"
#include "warpsim/driver/flags.h"
#include "warpsim/driver/handles.h"
#include "warpsim/driver/attributes.h"
#include "warpsim/driver/launches.h"
#include "warpsim/driver/errors.h"
#include "warpsim/driver/structures.h"
#include "warpsim/driver/memory_types.h"
#include "warpsim/driver/types_13.h"

#include "warpsim/driver/device_functions.h"
#include "warpsim/driver/module_functions.h"
#include "warpsim/driver/memory_functions.h"
#include "warpsim/driver/stream_functions.h"
#include "warpsim/driver/graph_functions.h"
#include "warpsim/driver/texture_functions.h"
#include "warpsim/driver/functions_13.h"
#if defined(__cplusplus)
#include "warpsim/driver/overloads_13.h"
#endif
#endif
