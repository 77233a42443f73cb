// The types of the runtime API and of the language.
#if !defined(__WARPSIM_BUILTIN_TYPES_H__)
#define __WARPSIM_BUILTIN_TYPES_H__
#include "device_types.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"
#endif
