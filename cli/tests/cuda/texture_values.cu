// Lookups and surfaces of all geometries. Where the texels of a texture count 0, 1, 2, ... in the
// order in which they lie, row after row, face after face, layer after layer, level after level,
// cell t of the output becomes t.
__global__ void fetch(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x, by_pointer;
    tex1Dfetch(&by_pointer, t, i);
    out[i] = tex1Dfetch<int>(t, i) + by_pointer - i;
}
__global__ void line(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x, by_pointer;
    tex1D(&by_pointer, t, i + 0.5f);
    out[i] = tex1D<int>(t, i + 0.5f) + tex1DLod<int>(t, i + 0.5f, 0) +
             tex1DGrad<int>(t, i + 0.5f, 0, 0) + by_pointer - 3 * i;
}
// Of rows of 4.
__global__ void plane(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x, by_pointer;
    float x = i % 4 + 0.5f, y = i / 4 + 0.5f;
    bool is = false;
    tex2D(&by_pointer, t, x, y, &is);
    out[i] = tex2D<int>(t, x, y) + by_pointer - i + (is ? 0 : 1000);
}
// Of planes of 4 x 3.
__global__ void space(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x;
    float x = i % 4 + 0.5f, y = i / 4 % 3 + 0.5f, z = i / 12 + 0.5f;
    bool is = false;
    float4 none = {};
    out[i] = tex3D<int>(t, x, y, z) + tex3DLod<int>(t, x, y, z, 0, &is) +
             tex3DGrad<int>(t, x, y, z, none, none) - 2 * i + (is ? 0 : 1000);
}
__global__ void lines(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x;
    float x = i % 4 + 0.5f;
    out[i] = tex1DLayered<int>(t, x, i / 4) + tex1DLayeredLod<int>(t, x, i / 4, 0) +
             tex1DLayeredGrad<int>(t, x, i / 4, 0, 0) - 2 * i;
}
__global__ void planes(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x, layer = i / 12;
    float x = i % 4 + 0.5f, y = i / 4 % 3 + 0.5f;
    bool is = false;
    float2 none = {};
    out[i] = tex2DLayered<int>(t, x, y, layer) + tex2DLayeredLod<int>(t, x, y, layer, 0) +
             tex2DLayeredGrad<int>(t, x, y, layer, none, none, &is) - 2 * i + (is ? 0 : 1000);
}
// The direction of a texel of a face of 2 x 2 (the guide's table of cubemaps).
__device__ float3 direction(int face, int i) {
    float s = i % 2 - 0.5f, t = i / 2 % 2 - 0.5f;
    switch (face) {
    case 0: return {1, -t, -s};
    case 1: return {-1, -t, s};
    case 2: return {s, 1, t};
    case 3: return {s, -1, -t};
    case 4: return {s, -t, 1};
    default: return {-s, -t, -1};
    }
}
__global__ void cube(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x;
    float3 d = direction(i / 4, i);
    out[i] = texCubemap<int>(t, d.x, d.y, d.z) + texCubemapLod<int>(t, d.x, d.y, d.z, 0) - i;
}
__global__ void cubes(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x;
    float3 d = direction(i / 4 % 6, i);
    out[i] = texCubemapLayered<int>(t, d.x, d.y, d.z, i / 24) +
             texCubemapLayeredLod<int>(t, d.x, d.y, d.z, i / 24, 0) - i;
}
__global__ void cube_gradient(int *out, cudaTextureObject_t t) {
    float4 none = {};
    out[threadIdx.x] = texCubemapGrad<int>(t, 1, 0, 0, none, none);
}
// Of 4 x 4, 2 x 2 and one texel, with normalised coordinates.
__global__ void levels(int *out, cudaTextureObject_t t) {
    int i = threadIdx.x,
        level = i < 16   ? 0
                : i < 20 ? 1
                         : 2,
        at = i - (level > 0 ? 16 : 0) - (level > 1 ? 4 : 0);
    int size = 4 >> level;
    float x = (at % size + 0.5f) / size, y = (at / size + 0.5f) / size;
    float step = (1 << level) / 4.0f;
    bool is = false;
    out[i] = tex2DLod<int>(t, x, y, level) + tex2DLod<int>(t, x, y, level, &is) +
             tex2DGrad<int>(t, x, y, float2{step, 0}, float2{0, step}) - 2 * i + (is ? 0 : 1000);
}
// Texels of four channels in rows of 4: channel c of texel i is 4 * i + c. In the middle of the
// first four texels.
__global__ void gather(int4 *out, cudaTextureObject_t t) {
    bool is = false;
    out[0] = tex2Dgather<int4>(t, 1, 1);
    out[1] = tex2Dgather<int4>(t, 1, 1, 1);
    out[2] = tex2Dgather<int4>(t, 1, 1, &is, 2);
    tex2Dgather(&out[3], t, 1, 1, 3);
    if (!is) out[0].x = 1000;
}
// Two channels of a byte.
__global__ void bytes(int *out, cudaTextureObject_t t) {
    uchar2 v = tex2D<uchar2>(t, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f);
    out[2 * threadIdx.x] = v.x;
    out[2 * threadIdx.x + 1] = v.y;
}
// The mean of four texels.
__global__ void mixed(float *out, cudaTextureObject_t t) { out[0] = tex2D<float>(t, 1, 1); }

// Each texel is turned round; what lies outside is nothing, or the nearest.
__global__ void rows(int *out, cudaSurfaceObject_t s) {
    int i = threadIdx.x, x = i * (int)sizeof(int);
    int own = surf1Dread<int>(s, x), other;
    surf1Dread(&other, s, 4 * 7 - x);
    out[i] = surf1Dread<int>(s, x - 4, cudaBoundaryModeZero) * 100 +
             surf1Dread<int>(s, x + 4, cudaBoundaryModeClamp);
    __syncthreads();
    surf1Dwrite(other, s, x);
    surf1Dwrite(own, s, 1000, cudaBoundaryModeZero);
}
template <class T, int channels> __device__ T texel(int i);
template <> __device__ unsigned char texel<unsigned char, 1>(int i) { return i; }
template <> __device__ short2 texel<short2, 2>(int i) { return make_short2(2 * i, 2 * i + 1); }
template <> __device__ float4 texel<float4, 4>(int i) {
    return make_float4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
}
// Into 4 x 3, of which there are several.
template <class T, int n> __device__ void filled(int *out, cudaSurfaceObject_t s, int geometry) {
    int i = threadIdx.x, x = i % 4 * (int)sizeof(T), y = i / 4 % 3, z = i / 12;
    T v = texel<T, n>(i), got = {};
    switch (geometry) {
    case 0: surf1DLayeredwrite(v, s, x, i / 4), got = surf1DLayeredread<T>(s, x, i / 4); break;
    case 1: surf2Dwrite(v, s, x, y), got = surf2Dread<T>(s, x, y); break;
    case 2: surf3Dwrite(v, s, x, y, z), got = surf3Dread<T>(s, x, y, z); break;
    case 3: surf2DLayeredwrite(v, s, x, y, z), got = surf2DLayeredread<T>(s, x, y, z); break;
    case 4:
        surfCubemapwrite(v, s, x, i / 4 % 4, i / 16),
            got = surfCubemapread<T>(s, x, i / 4 % 4, i / 16);
        break;
    default:
        surfCubemapLayeredwrite(v, s, x, i / 4 % 4, i / 16);
        got = surfCubemapLayeredread<T>(s, x, i / 4 % 4, i / 16);
    }
    out[i] = 1;
    for (unsigned byte = 0; byte < sizeof v; ++byte)
        if (((char *)&v)[byte] != ((char *)&got)[byte]) out[i] = 0;
}
__global__ void fill_bytes(int *out, cudaSurfaceObject_t s, int geometry) {
    filled<unsigned char, 1>(out, s, geometry);
}
__global__ void fill_pairs(int *out, cudaSurfaceObject_t s, int geometry) {
    filled<short2, 2>(out, s, geometry);
}
__global__ void fill_fours(int *out, cudaSurfaceObject_t s, int geometry) {
    filled<float4, 4>(out, s, geometry);
}
