// The types that the libraries of CUDA share (CUDA Runtime API, "Version Management"; cuBLAS,
// "cudaDataType_t").
//
// Here: the properties that a library is asked for.
#pragma once

#ifndef WARPSIM_LIBRARY_PROPERTIES
#define WARPSIM_LIBRARY_PROPERTIES
typedef enum libraryPropertyType_t {
    MAJOR_VERSION,
    MINOR_VERSION,
    PATCH_LEVEL
} libraryPropertyType;
#endif
