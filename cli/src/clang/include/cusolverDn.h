// cuSOLVER's dense matrices (cuSOLVER API Reference, "cuSolverDN"): handles, and what makes them.
// What is not there says cusolver_common.h.
#pragma once
#define CUSOLVERDN_H_
#include <cuda_runtime_api.h>
#include <cusolver_common.h>

struct cusolverDnContext;
typedef struct cusolverDnContext *cusolverDnHandle_t;
struct syevjInfo;
typedef struct syevjInfo *syevjInfo_t;
struct gesvdjInfo;
typedef struct gesvdjInfo *gesvdjInfo_t;
struct cusolverDnParams;
typedef struct cusolverDnParams *cusolverDnParams_t;
struct cusolverDnIRSParams;
typedef struct cusolverDnIRSParams *cusolverDnIRSParams_t;
struct cusolverDnIRSInfos;
typedef struct cusolverDnIRSInfos *cusolverDnIRSInfos_t;

typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1 } cusolverDnFunction_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);
#ifdef __cplusplus
}
#endif
