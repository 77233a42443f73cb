// OpenGL (CUDA Driver API reference, version 12.9, "OpenGL Interoperability"). What warpsim
// lacks: all of them answer `CUDA_ERROR_NOT_SUPPORTED`.
#if !defined(CUDAGL_H)
#define CUDAGL_H
#include "cuda.h"

// The types are those of <GL/gl.h> where that is installed.
#if defined(__has_include) && __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned GLuint, GLenum;
#endif
typedef enum CUGLDeviceList_enum {
    CU_GL_DEVICE_LIST_ALL = 1, CU_GL_DEVICE_LIST_CURRENT_FRAME, CU_GL_DEVICE_LIST_NEXT_FRAME
} CUGLDeviceList;
typedef enum CUGLmap_flags_enum {
    CU_GL_MAP_RESOURCE_FLAGS_NONE = 0, CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY,
    CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD
} CUGLmap_flags;
#define cuGLCtxCreate cuGLCtxCreate_v2
#define cuGLMapBufferObject __CUDA_API_PTDS(cuGLMapBufferObject_v2)
#define cuGLMapBufferObjectAsync __CUDA_API_PTSZ(cuGLMapBufferObjectAsync_v2)
#define cuGLGetDevices cuGLGetDevices_v2
__warpsim_begin_c
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *, GLuint, unsigned);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource *, GLuint, GLenum, unsigned);
CUresult CUDAAPI cuGLGetDevices(unsigned *, CUdevice *, unsigned, CUGLDeviceList);
__warpsim_deprecated CUresult CUDAAPI cuGLCtxCreate(CUcontext *, unsigned, CUdevice);
__warpsim_deprecated CUresult CUDAAPI cuGLInit(void);
__warpsim_deprecated CUresult CUDAAPI cuGLRegisterBufferObject(GLuint);
__warpsim_deprecated CUresult CUDAAPI cuGLMapBufferObject(CUdeviceptr *, size_t *, GLuint);
__warpsim_deprecated CUresult CUDAAPI cuGLUnmapBufferObject(GLuint);
__warpsim_deprecated CUresult CUDAAPI cuGLUnregisterBufferObject(GLuint);
__warpsim_deprecated CUresult CUDAAPI cuGLSetBufferObjectMapFlags(GLuint, unsigned);
__warpsim_deprecated CUresult CUDAAPI cuGLMapBufferObjectAsync(CUdeviceptr *, size_t *, GLuint,
    CUstream);
__warpsim_deprecated CUresult CUDAAPI cuGLUnmapBufferObjectAsync(GLuint, CUstream);
__warpsim_end_c
#endif
