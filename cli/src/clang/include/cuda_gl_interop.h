// OpenGL (CUDA Runtime API reference, version 12.9, "OpenGL Interoperability"). What warpsim
// lacks: all of them answer `cudaErrorNotSupported`.
#if !defined(__CUDA_GL_INTEROP_H__)
#define __CUDA_GL_INTEROP_H__
#include "cuda_runtime_api.h"

// The types are those of <GL/gl.h> where that is installed.
#if defined(__has_include) && __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned GLuint, GLenum;
#endif
enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1, cudaGLDeviceListCurrentFrame, cudaGLDeviceListNextFrame
};
enum cudaGLMapFlags {
    cudaGLMapFlagsNone = 0, cudaGLMapFlagsReadOnly, cudaGLMapFlagsWriteDiscard
};
__warpsim_begin_c
cudaError_t cudaGLGetDevices(unsigned *, int *, unsigned, enum cudaGLDeviceList);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **, GLuint, GLenum, unsigned);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **, GLuint, unsigned);
__warpsim_deprecated cudaError_t cudaGLSetGLDevice(int);
__warpsim_deprecated cudaError_t cudaGLRegisterBufferObject(GLuint);
__warpsim_deprecated cudaError_t cudaGLMapBufferObject(void **, GLuint);
__warpsim_deprecated cudaError_t cudaGLUnmapBufferObject(GLuint);
__warpsim_deprecated cudaError_t cudaGLUnregisterBufferObject(GLuint);
__warpsim_deprecated cudaError_t cudaGLSetBufferObjectMapFlags(GLuint, unsigned);
__warpsim_deprecated cudaError_t cudaGLMapBufferObjectAsync(void **, GLuint, cudaStream_t);
__warpsim_deprecated cudaError_t cudaGLUnmapBufferObjectAsync(GLuint, cudaStream_t);
__warpsim_end_c
#endif
