// Types of pointers to the functions of the driver API, for programs that ask for these by
// their names (CUDA Driver API reference, version 12.9, "Driver Entry Point Access").
#if !defined(CUDATYPEDEFS_H)
#define CUDATYPEDEFS_H
#include "cuda.h"
#include "warpsim/driver/pointers.h"
#include "warpsim/driver/stream_pointers.h"
#include "warpsim/driver/pointer_names.h"
#endif
