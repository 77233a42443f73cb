// Every function of the chapters "Texture Object API" and "Surface Object API", for every element
// type, by value and by pointer. With CUBE_GRADIENTS those that no simulator has, too.
template <class T> __device__ void each(T *out, cudaTextureObject_t t, float x) {
    float2 d2 = {x, x};
    float4 d4 = {x, x, x, x};
    int layer = 1;
    bool is;
    T *v = out;
#define BOTH(name, ...)                                                                            \
    *v++ = name<T>(t, __VA_ARGS__);                                                                \
    name(v++, t, __VA_ARGS__);
#define SPARSE(name, ...)                                                                          \
    BOTH(name, __VA_ARGS__)                                                                        \
    *v++ = name<T>(t, __VA_ARGS__, &is);                                                           \
    name(v++, t, __VA_ARGS__, &is);
    BOTH(tex1Dfetch, 3)
    BOTH(tex1D, x)
    BOTH(tex1DLod, x, x)
    BOTH(tex1DGrad, x, x, x)
    SPARSE(tex2D, x, x)
    BOTH(tex2Dgather, x, x, 1)
    BOTH(tex2Dgather, x, x)
    BOTH(tex2Dgather, x, x, &is, 2)
    BOTH(tex2Dgather, x, x, &is)
    SPARSE(tex2DGrad, x, x, d2, d2)
    SPARSE(tex2DLod, x, x, x)
    SPARSE(tex3D, x, x, x)
    SPARSE(tex3DLod, x, x, x, x)
    SPARSE(tex3DGrad, x, x, x, d4, d4)
    BOTH(tex1DLayered, x, layer)
    BOTH(tex1DLayeredLod, x, layer, x)
    BOTH(tex1DLayeredGrad, x, layer, x, x)
    SPARSE(tex2DLayered, x, x, layer)
    SPARSE(tex2DLayeredLod, x, x, layer, x)
    SPARSE(tex2DLayeredGrad, x, x, layer, d2, d2)
    BOTH(texCubemap, x, x, x)
    BOTH(texCubemapLod, x, x, x, x)
    BOTH(texCubemapLayered, x, x, x, layer)
    BOTH(texCubemapLayeredLod, x, x, x, layer, x)
#ifdef CUBE_GRADIENTS
    BOTH(texCubemapGrad, x, x, x, d4, d4)
    BOTH(texCubemapLayeredGrad, x, x, x, layer, d4, d4)
#endif
}
template <class T> __device__ void each(T *out, cudaSurfaceObject_t s, int x) {
    T *v = out;
#define SURFACE(name, ...)                                                                         \
    *v++ = name##read<T>(s, __VA_ARGS__);                                                          \
    *v++ = name##read<T>(s, __VA_ARGS__, cudaBoundaryModeZero);                                    \
    name##read(v++, s, __VA_ARGS__);                                                               \
    name##read(v++, s, __VA_ARGS__, cudaBoundaryModeClamp);                                        \
    name##write(*v, s, __VA_ARGS__);                                                               \
    name##write(*v, s, __VA_ARGS__, cudaBoundaryModeTrap);
    SURFACE(surf1D, x)
    SURFACE(surf2D, x, x)
    SURFACE(surf3D, x, x, x)
    SURFACE(surf1DLayered, x, x)
    SURFACE(surf2DLayered, x, x, x)
    SURFACE(surfCubemap, x, x, x)
    SURFACE(surfCubemapLayered, x, x, x)
}
template <class T>
__global__ void names(T *out, cudaTextureObject_t t, cudaSurfaceObject_t s, float x) {
    each(out, t, x);
    each(out, s, (int)x);
}
#define FAMILY(T)                                                                                  \
    template __global__ void names<T##1>(T##1 *, cudaTextureObject_t, cudaSurfaceObject_t, float); \
    template __global__ void names<T##2>(T##2 *, cudaTextureObject_t, cudaSurfaceObject_t, float); \
    template __global__ void names<T##4>(T##4 *, cudaTextureObject_t, cudaSurfaceObject_t, float);
#define ONE(T)                                                                                     \
    template __global__ void names<T>(T *, cudaTextureObject_t, cudaSurfaceObject_t, float);
ONE(char)
ONE(signed char)
ONE(unsigned char)
ONE(short)
ONE(unsigned short)
ONE(int)
ONE(unsigned)
ONE(float)
FAMILY(char)
FAMILY(uchar)
FAMILY(short)
FAMILY(ushort)
FAMILY(int)
FAMILY(uint)
FAMILY(float)
// The parameter is there so that a launch can be tried without textures.
__global__ void none(int *out) { out[threadIdx.x] = 1; }
