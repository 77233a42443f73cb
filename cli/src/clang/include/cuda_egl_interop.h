// EGL (CUDA Runtime API reference, version 12.9, "EGL Interoperability"). What warpsim lacks:
// all of them answer `cudaErrorNotSupported`.
#if !defined(__CUDA_EGL_INTEROP_H__)
#define __CUDA_EGL_INTEROP_H__
#include "cuda_runtime_api.h"

// The types are those of EGL's headers where these are installed.
#if defined(__has_include) && __has_include(<EGL/egl.h>) && __has_include(<EGL/eglext.h>)
#include <EGL/egl.h>
#include <EGL/eglext.h>
#else
typedef int EGLint;
typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR;
#endif
#define CUDA_EGL_MAX_PLANES 3
typedef enum cudaEglFrameType_enum {
    cudaEglFrameTypeArray = 0, cudaEglFrameTypePitch
} cudaEglFrameType;
typedef enum cudaEglResourceLocationFlags_enum {
    cudaEglResourceLocationSysmem = 0, cudaEglResourceLocationVidmem
} cudaEglResourceLocationFlags;
typedef enum cudaEglColorFormat_enum {
    cudaEglColorFormatYUV420Planar = 0, cudaEglColorFormatYUV420SemiPlanar,
    cudaEglColorFormatYUV422Planar, cudaEglColorFormatYUV422SemiPlanar, cudaEglColorFormatARGB = 6,
    cudaEglColorFormatRGBA, cudaEglColorFormatL, cudaEglColorFormatR,
    cudaEglColorFormatYUV444Planar, cudaEglColorFormatYUV444SemiPlanar, cudaEglColorFormatYUYV422,
    cudaEglColorFormatUYVY422, cudaEglColorFormatABGR, cudaEglColorFormatBGRA, cudaEglColorFormatA,
    cudaEglColorFormatRG, cudaEglColorFormatAYUV, cudaEglColorFormatYVU444SemiPlanar,
    cudaEglColorFormatYVU422SemiPlanar, cudaEglColorFormatYVU420SemiPlanar,
    cudaEglColorFormatY10V10U10_444SemiPlanar, cudaEglColorFormatY10V10U10_420SemiPlanar,
    cudaEglColorFormatY12V12U12_444SemiPlanar, cudaEglColorFormatY12V12U12_420SemiPlanar,
    cudaEglColorFormatVYUY_ER, cudaEglColorFormatUYVY_ER, cudaEglColorFormatYUYV_ER,
    cudaEglColorFormatYVYU_ER, cudaEglColorFormatYUVA_ER = 31, cudaEglColorFormatAYUV_ER,
    cudaEglColorFormatYUV444Planar_ER, cudaEglColorFormatYUV422Planar_ER,
    cudaEglColorFormatYUV420Planar_ER, cudaEglColorFormatYUV444SemiPlanar_ER,
    cudaEglColorFormatYUV422SemiPlanar_ER, cudaEglColorFormatYUV420SemiPlanar_ER,
    cudaEglColorFormatYVU444Planar_ER, cudaEglColorFormatYVU422Planar_ER,
    cudaEglColorFormatYVU420Planar_ER, cudaEglColorFormatYVU444SemiPlanar_ER,
    cudaEglColorFormatYVU422SemiPlanar_ER, cudaEglColorFormatYVU420SemiPlanar_ER,
    cudaEglColorFormatBayerRGGB, cudaEglColorFormatBayerBGGR, cudaEglColorFormatBayerGRBG,
    cudaEglColorFormatBayerGBRG, cudaEglColorFormatBayer10RGGB, cudaEglColorFormatBayer10BGGR,
    cudaEglColorFormatBayer10GRBG, cudaEglColorFormatBayer10GBRG, cudaEglColorFormatBayer12RGGB,
    cudaEglColorFormatBayer12BGGR, cudaEglColorFormatBayer12GRBG, cudaEglColorFormatBayer12GBRG,
    cudaEglColorFormatBayer14RGGB, cudaEglColorFormatBayer14BGGR, cudaEglColorFormatBayer14GRBG,
    cudaEglColorFormatBayer14GBRG, cudaEglColorFormatBayer20RGGB, cudaEglColorFormatBayer20BGGR,
    cudaEglColorFormatBayer20GRBG, cudaEglColorFormatBayer20GBRG, cudaEglColorFormatYVU444Planar,
    cudaEglColorFormatYVU422Planar, cudaEglColorFormatYVU420Planar, cudaEglColorFormatBayerIspRGGB,
    cudaEglColorFormatBayerIspBGGR, cudaEglColorFormatBayerIspGRBG, cudaEglColorFormatBayerIspGBRG,
    cudaEglColorFormatBayerBCCR, cudaEglColorFormatBayerRCCB, cudaEglColorFormatBayerCRBC,
    cudaEglColorFormatBayerCBRC, cudaEglColorFormatBayer10CCCC, cudaEglColorFormatBayer12BCCR,
    cudaEglColorFormatBayer12RCCB, cudaEglColorFormatBayer12CRBC, cudaEglColorFormatBayer12CBRC,
    cudaEglColorFormatBayer12CCCC, cudaEglColorFormatY, cudaEglColorFormatYUV420SemiPlanar_2020,
    cudaEglColorFormatYVU420SemiPlanar_2020, cudaEglColorFormatYUV420Planar_2020,
    cudaEglColorFormatYVU420Planar_2020, cudaEglColorFormatYUV420SemiPlanar_709,
    cudaEglColorFormatYVU420SemiPlanar_709, cudaEglColorFormatYUV420Planar_709,
    cudaEglColorFormatYVU420Planar_709, cudaEglColorFormatY10V10U10_420SemiPlanar_709,
    cudaEglColorFormatY10V10U10_420SemiPlanar_2020, cudaEglColorFormatY10V10U10_422SemiPlanar_2020,
    cudaEglColorFormatY10V10U10_422SemiPlanar, cudaEglColorFormatY10V10U10_422SemiPlanar_709,
    cudaEglColorFormatY_ER, cudaEglColorFormatY_709_ER, cudaEglColorFormatY10_ER,
    cudaEglColorFormatY10_709_ER, cudaEglColorFormatY12_ER, cudaEglColorFormatY12_709_ER,
    cudaEglColorFormatYUVA, cudaEglColorFormatYVYU = 104, cudaEglColorFormatVYUY,
    cudaEglColorFormatY10V10U10_420SemiPlanar_ER, cudaEglColorFormatY10V10U10_420SemiPlanar_709_ER,
    cudaEglColorFormatY10V10U10_444SemiPlanar_ER, cudaEglColorFormatY10V10U10_444SemiPlanar_709_ER,
    cudaEglColorFormatY12V12U12_420SemiPlanar_ER, cudaEglColorFormatY12V12U12_420SemiPlanar_709_ER,
    cudaEglColorFormatY12V12U12_444SemiPlanar_ER, cudaEglColorFormatY12V12U12_444SemiPlanar_709_ER,
    cudaEglColorFormatUYVY709, cudaEglColorFormatUYVY709_ER, cudaEglColorFormatUYVY2020
} cudaEglColorFormat;
typedef struct cudaEglPlaneDesc_st {
    unsigned width, height, depth, pitch, numChannels;
    struct cudaChannelFormatDesc channelDesc;
    unsigned reserved[4];
} cudaEglPlaneDesc;
typedef struct cudaEglFrame_st {
    union { cudaArray_t pArray[3]; struct cudaPitchedPtr pPitch[3]; } frame;
    cudaEglPlaneDesc planeDesc[3];
    unsigned planeCount;
    cudaEglFrameType frameType;
    cudaEglColorFormat eglColorFormat;
} cudaEglFrame;
typedef struct CUeglStreamConnection_st *cudaEglStreamConnection;
__warpsim_begin_c
cudaError_t cudaGraphicsEGLRegisterImage(struct cudaGraphicsResource **, EGLImageKHR, unsigned);
cudaError_t cudaEGLStreamConsumerConnect(cudaEglStreamConnection *, EGLStreamKHR);
cudaError_t cudaEGLStreamConsumerConnectWithFlags(cudaEglStreamConnection *, EGLStreamKHR,
    unsigned);
cudaError_t cudaEGLStreamConsumerDisconnect(cudaEglStreamConnection *);
cudaError_t cudaEGLStreamConsumerAcquireFrame(cudaEglStreamConnection *, cudaGraphicsResource_t *,
    cudaStream_t *, unsigned);
cudaError_t cudaEGLStreamConsumerReleaseFrame(cudaEglStreamConnection *, cudaGraphicsResource_t,
    cudaStream_t *);
cudaError_t cudaEGLStreamProducerConnect(cudaEglStreamConnection *, EGLStreamKHR, EGLint, EGLint);
cudaError_t cudaEGLStreamProducerDisconnect(cudaEglStreamConnection *);
cudaError_t cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection *, cudaEglFrame,
    cudaStream_t *);
cudaError_t cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection *, cudaEglFrame *,
    cudaStream_t *);
cudaError_t cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame *, cudaGraphicsResource_t, unsigned,
    unsigned);
cudaError_t cudaEventCreateFromEGLSync(cudaEvent_t *, EGLSyncKHR, unsigned);
__warpsim_end_c
#endif
