// Texture and surface references: bound to memory, with an offset and without a size, to rows, and to arrays; read as they are,
// normalized and filtered. Prints what is wrong, and a line where nothing is.
#include <cstdio>
#include <cuda_runtime.h>

texture<float, 1, cudaReadModeElementType> line;
texture<int4> quads;
static texture<float, cudaTextureType2D> rows;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;
texture<float, 2> smooth(0, cudaFilterModeLinear, cudaAddressModeClamp);
surface<void, cudaSurfaceType2D> canvas;

__global__ void fetch(float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch(line, i);
}
__global__ void sum(int *out) {
    int4 v = tex1Dfetch(quads, threadIdx.x);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void look(float *out, int width) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D(rows, x + 0.5f, y + 0.5f);
}
__global__ void bright(float *out, int width) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D(picture, x + 0.5f, y + 0.5f);
}
__global__ void between(float *out) { out[0] = tex2D(smooth, 1.0f, 1.0f); }
__global__ void paint() {
    int x = threadIdx.x, y = threadIdx.y;
    float v;
    surf2Dread(&v, canvas, x * sizeof v, y);
    surf2Dwrite(2 * v, canvas, x * (int)sizeof v, y);
}

static int wrong;
static void is(const char *what, int i, float got, float wanted) {
    if (got != wanted && ++wrong < 10) printf("%s %d: %g, not %g\n", what, i, got, wanted);
}
static void works(const char *what, cudaError_t error) {
    if (error != cudaSuccess && ++wrong) printf("%s: %s\n", what, cudaGetErrorString(error));
}

int main() {
    float host[256], out[256], *in, *to;
    for (int i = 0; i < 256; i++) host[i] = i * 0.5f;
    works("malloc", cudaMalloc(&in, sizeof host));
    works("malloc", cudaMalloc(&to, sizeof host));
    works("copy", cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));

    // Without a size it is all that follows.
    works("bind", cudaBindTexture(0, line, in));
    fetch<<<1, 256>>>(to, 256);
    works("copy", cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) is("line", i, out[i], host[i]);
    // The offset says how far the memory is from where the texture begins.
    size_t offset = 1;
    works("bind", cudaBindTexture(&offset, line, in + 8, 8 * sizeof(float)));
    is("offset", 0, offset, 8 * sizeof(float));
    works("offset", cudaGetTextureAlignmentOffset(&offset, line));
    fetch<<<1, 16>>>(to, 16);
    works("copy", cudaMemcpy(out, to, 16 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) is("moved line", i, out[i], host[i + 8 - offset / sizeof(float)]);
    if (cudaBindTexture(0, line, in + 8, 32) == cudaSuccess) is("an offset that nobody asked for", 0, 0, 1);

    int numbers[64], sums[16], *four, *all;
    for (int i = 0; i < 64; i++) numbers[i] = i * i;
    works("malloc", cudaMalloc(&four, sizeof numbers));
    works("malloc", cudaMalloc(&all, sizeof sums));
    works("copy", cudaMemcpy(four, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int4>();
    works("bind", cudaBindTexture(NULL, quads, four, format, sizeof numbers));
    sum<<<1, 16>>>(all);
    works("copy", cudaMemcpy(sums, all, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) {
        const int *n = numbers + 4 * i;
        is("quad", i, sums[i], n[0] + n[1] + n[2] + n[3]);
    }

    // Rows of 10 in memory of a pitch.
    size_t pitch;
    float *rectangle;
    works("malloc", cudaMallocPitch(&rectangle, &pitch, 10 * sizeof(float), 5));
    works("copy", cudaMemcpy2D(rectangle, pitch, host, 10 * sizeof(float), 10 * sizeof(float), 5, cudaMemcpyHostToDevice));
    works("bind", cudaBindTexture2D(0, rows, rectangle, 10, 5, pitch));
    look<<<1, dim3(10, 5)>>>(to, 10);
    works("copy", cudaMemcpy(out, to, 50 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 50; i++) is("row", i, out[i], host[i]);

    // Bytes as numbers from 0 to 1.
    unsigned char bytes[32];
    for (int i = 0; i < 32; i++) bytes[i] = 8 * i;
    cudaArray_t grey, plane;
    format = cudaCreateChannelDesc<unsigned char>();
    works("array", cudaMallocArray(&grey, &format, 8, 4));
    works("copy", cudaMemcpy2DToArray(grey, 0, 0, bytes, 8, 8, 4, cudaMemcpyHostToDevice));
    works("bind", cudaBindTextureToArray(picture, grey, format));
    bright<<<1, dim3(8, 4)>>>(to, 8);
    works("copy", cudaMemcpy(out, to, 32 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) is("grey", i, out[i], bytes[i] / 255.0f);

    // Where four texels meet, the filter gives their mean. A surface doubles what the texture reads.
    format = cudaCreateChannelDesc<float>();
    works("array", cudaMallocArray(&plane, &format, 4, 4, cudaArraySurfaceLoadStore));
    works("copy", cudaMemcpy2DToArray(plane, 0, 0, host, 16, 16, 4, cudaMemcpyHostToDevice));
    works("bind", cudaBindTextureToArray(smooth, plane));
    works("bind", cudaBindSurfaceToArray(canvas, plane));
    for (int times = 1; times <= 2; times++) {
        between<<<1, 1>>>(to);
        works("copy", cudaMemcpy(out, to, sizeof(float), cudaMemcpyDeviceToHost));
        is("mean", times, out[0], times * (host[0] + host[1] + host[4] + host[5]) / 4);
        paint<<<1, dim3(4, 4)>>>();
    }
    const textureReference *reference;
    works("reference", cudaGetTextureReference(&reference, &smooth));
    works("unbind", cudaUnbindTexture(reference));
    works("unbind", cudaUnbindTexture(line));
    works("end", cudaDeviceSynchronize());
    if (!wrong) puts("references are right");
    return wrong != 0;
}
