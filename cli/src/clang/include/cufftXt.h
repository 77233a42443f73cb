// cuFFT's functions with types as arguments, callbacks and several GPUs (cuFFT API Reference,
// version 12.9, "cufftXt"). Those of one GPU in single and double precision are there; callbacks,
// half precision and several GPUs answer CUFFT_NOT_SUPPORTED.
#pragma once
#define _CUFFTXT_H_
#include <cufft.h>

typedef enum cufftXtSubFormat_t {
    CUFFT_XT_FORMAT_INPUT = 0x00,
    CUFFT_XT_FORMAT_OUTPUT = 0x01,
    CUFFT_XT_FORMAT_INPLACE = 0x02,
    CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 0x03,
    CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 0x04,
    CUFFT_XT_FORMAT_DISTRIBUTED_INPUT = 0x05,
    CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT = 0x06,
    CUFFT_FORMAT_UNDEFINED = 0x07
} cufftXtSubFormat;

typedef enum cufftXtCopyType_t {
    CUFFT_COPY_HOST_TO_DEVICE = 0x00,
    CUFFT_COPY_DEVICE_TO_HOST = 0x01,
    CUFFT_COPY_DEVICE_TO_DEVICE = 0x02,
    CUFFT_COPY_UNDEFINED = 0x03
} cufftXtCopyType;

typedef enum cufftXtQueryType_t {
    CUFFT_QUERY_1D_FACTORS = 0x00,
    CUFFT_QUERY_UNDEFINED = 0x01
} cufftXtQueryType;

typedef enum cufftXtWorkAreaPolicy_t {
    CUFFT_WORKAREA_MINIMAL = 0,
    CUFFT_WORKAREA_USER = 1,
    CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;

typedef struct cufftXt1dFactors_t {
    long long int size;
    long long int stringCount;
    long long int stringLength;
    long long int substringLength;
    long long int factor1;
    long long int factor2;
    long long int stringMask;
    long long int substringMask;
    long long int factor1Mask;
    long long int factor2Mask;
    int stringShift;
    int substringShift;
    int factor1Shift;
    int factor2Shift;
} cufftXt1dFactors;

// Memory of several GPUs ("cudaXt").
#define CUDA_XT_DESCRIPTOR_VERSION 0x01000000
#define MAX_CUDA_DESCRIPTOR_GPUS 64

typedef enum cudaXtCopyType_t {
    LIB_XT_COPY_HOST_TO_DEVICE,
    LIB_XT_COPY_DEVICE_TO_HOST,
    LIB_XT_COPY_DEVICE_TO_DEVICE
} cudaLibXtCopyType;

typedef enum libFormat_t {
    LIB_FORMAT_CUFFT = 0x0,
    LIB_FORMAT_UNDEFINED = 0x1
} libFormat;

typedef struct cudaXtDesc_t {
    int version;
    int nGPUs;
    int GPUs[MAX_CUDA_DESCRIPTOR_GPUS];
    void *data[MAX_CUDA_DESCRIPTOR_GPUS];
    size_t size[MAX_CUDA_DESCRIPTOR_GPUS];
    void *cudaXtState;
} cudaXtDesc;

typedef struct cudaLibXtDesc_t {
    int version;
    cudaXtDesc *descriptor;
    libFormat library;
    int subFormat;
    void *libDescriptor;
} cudaLibXtDesc;

typedef enum cufftXtCallbackType_t {
    CUFFT_CB_LD_COMPLEX = 0x0,
    CUFFT_CB_LD_COMPLEX_DOUBLE = 0x1,
    CUFFT_CB_LD_REAL = 0x2,
    CUFFT_CB_LD_REAL_DOUBLE = 0x3,
    CUFFT_CB_ST_COMPLEX = 0x4,
    CUFFT_CB_ST_COMPLEX_DOUBLE = 0x5,
    CUFFT_CB_ST_REAL = 0x6,
    CUFFT_CB_ST_REAL_DOUBLE = 0x7,
    CUFFT_CB_UNDEFINED = 0x8
} cufftXtCallbackType;

typedef cufftComplex (*cufftCallbackLoadC)(void *data, size_t offset, void *info, void *shared);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *data, size_t offset, void *info,
                                                 void *shared);
typedef cufftReal (*cufftCallbackLoadR)(void *data, size_t offset, void *info, void *shared);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void *data, size_t offset, void *info, void *shared);
typedef void (*cufftCallbackStoreC)(void *data, size_t offset, cufftComplex value, void *info,
                                    void *shared);
typedef void (*cufftCallbackStoreZ)(void *data, size_t offset, cufftDoubleComplex value,
                                    void *info, void *shared);
typedef void (*cufftCallbackStoreR)(void *data, size_t offset, cufftReal value, void *info,
                                    void *shared);
typedef void (*cufftCallbackStoreD)(void *data, size_t offset, cufftDoubleReal value, void *info,
                                    void *shared);

#if defined(__cplusplus)
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, cudaDataType inputtype,
                                long long *onembed, long long ostride, long long odist,
                                cudaDataType outputtype, long long batch, size_t *bytes,
                                cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);
cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *which);
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **descriptor, cufftXtSubFormat format);
cufftResult cufftXtMemcpy(cufftHandle plan, void *to, void *from, cufftXtCopyType type);
cufftResult cufftXtFree(cudaLibXtDesc *descriptor);
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                  int direction);
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output, int direction);
cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output, int direction);
cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtQueryPlan(cufftHandle plan, void *query, cufftXtQueryType type);
cufftResult cufftXtSetWorkArea(cufftHandle plan, void **areas);
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy,
                                     size_t *bytes);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                               long long istride, long long idist, cudaDataType inputtype,
                               long long *onembed, long long ostride, long long odist,
                               cudaDataType outputtype, long long batch, size_t *bytes,
                               cudaDataType executiontype);
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType type,
                                         size_t bytes);
cufftResult cufftXtSetCallback(cufftHandle plan, void **routine, cufftXtCallbackType type,
                               void **data);
cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType type);
#if defined(__cplusplus)
}
#endif
