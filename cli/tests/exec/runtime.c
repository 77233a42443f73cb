/* A program that uses the CUDA runtime API as compilers use it for <<<>>>: it registers a fat binary, a kernel and a variable
   before main, and pushes and pops what stands between the brackets. It links to libcudart.so.12 and knows nothing of
   warpsim. What it uses is declared here, because there may be no cuda_runtime.h. */
#include "registered.h"
#include <unistd.h>

typedef struct {
    unsigned x, y, z;
} dim3;
#ifdef IS_LIBRARY /* another program loads it, and calls `run` */
#define main run
extern __attribute__((visibility("default"))) int main(void);
#endif

typedef void *cudaStream_t, *cudaEvent_t;
typedef int cudaError_t;

extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
extern void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
extern char __cudaInitModule(void **);
extern unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
extern cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
extern cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern cudaError_t cudaMalloc(void **, size_t), cudaFree(void *), cudaMallocManaged(void **, size_t, unsigned);
extern cudaError_t cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
extern cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
extern cudaError_t cudaStreamCreate(cudaStream_t *), cudaStreamSynchronize(cudaStream_t), cudaDeviceSynchronize(void);
extern cudaError_t cudaEventCreate(cudaEvent_t *), cudaEventRecord(cudaEvent_t, cudaStream_t);
extern cudaError_t cudaEventQuery(cudaEvent_t), cudaEventSynchronize(cudaEvent_t), cudaStreamQuery(cudaStream_t);
extern cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void *), void *);
extern cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t), cudaGetLastError(void), cudaPeekAtLastError(void);
extern cudaError_t cudaGetDeviceCount(int *), cudaDeviceGetAttribute(int *, int, int), cudaDeviceReset(void);
extern cudaError_t cudaRuntimeGetVersion(int *), cudaDeviceGetDefaultMemPool(void **, int);
extern const char *cudaGetErrorName(cudaError_t);

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .const .align 4 .f32 factor = 0f3f800000;\n"
    ".visible .global .attribute(.managed) .align 4 .b8 cells[16] = {0, 0, 128, 63};\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .f32 %f<4>;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p, %r5, %r1; @%p bra DONE;\n"
    "  mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.f32 %f1, [%d3]; ld.const.f32 %f2, [factor]; mul.f32 %f3, %f1, %f2; st.global.f32 [%d3], %f3;\n"
    "DONE: ret;\n"
    "}\n";

/* What differs between the libraries of CUDA 12 and 13: where a field of cudaDeviceProp lies, and how a place is said. */
#if CUDART == 13
extern cudaError_t cudaGetDeviceProperties(void *, int), cudaMemAdvise(const void *, size_t, int, uint64_t);
extern cudaError_t cudaMemPrefetchAsync(const void *, size_t, uint64_t, unsigned, cudaStream_t);
#define PROPERTIES cudaGetDeviceProperties
#define MULTIPROCESSORS 384
#define PREFETCH(at, bytes) cudaMemPrefetchAsync(at, bytes, 1, 0, 0)
#ifndef IS_STATIC
/* The versions are those that NVIDIA's library gives; one that has both gives the other by itself. */
__asm__(".symver cudaGetDeviceProperties, cudaGetDeviceProperties@libcudart.so.13");
__asm__(".symver cudaMemAdvise, cudaMemAdvise@libcudart.so.13");
__asm__(".symver cudaMemPrefetchAsync, cudaMemPrefetchAsync@libcudart.so.13");
__asm__(".symver cudaRuntimeGetVersion, cudaRuntimeGetVersion@libcudart.so.13");
#endif
#else
#if CUDART == 11 /* the beginning of the same structure, by the name that it had then */
#define cudaGetDeviceProperties_v2 cudaGetDeviceProperties
#endif
extern cudaError_t cudaGetDeviceProperties_v2(void *, int), cudaMemAdvise(const void *, size_t, int, int);
extern cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t);
#define PROPERTIES cudaGetDeviceProperties_v2
#define MULTIPROCESSORS 388
#define PREFETCH(at, bytes) cudaMemPrefetchAsync(at, bytes, 0, 0)
#endif

static float *cells; /* a managed variable: the host's says where it is */
static volatile int is_held = 1;

/* A function of a stream that returns when the program lets it. */
static void hold(void *unused)
{
    while (is_held)
        usleep(1000);
    usleep(20000);
}

static float factor; /* the host's shadow of the variable */
static void **registered;

/* What a compiler writes for a __global__ function. */
static void scale(float *p, unsigned n)
{
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    void *arguments[] = {&p, &n};
    __cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    cudaLaunchKernel((const void *)scale, grid, block, arguments, shared, stream);
}

/* What it writes for scale<<<grid, block, shared, stream>>>. */
#define LAUNCH(grid, block, shared, stream, call)                                                   \
    if (!__cudaPushCallConfiguration((dim3){grid, 1, 1}, (dim3){block, 1, 1}, shared, stream))      \
        call

__attribute__((constructor)) static void before(void)
{
    registered = register_text(ptx, sizeof ptx);
    __cudaRegisterFunction(registered, (const char *)scale, (char *)"scale", "scale", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(registered, (char *)&factor, (char *)"factor", "factor", 0, sizeof factor, 1, 0);
    __cudaRegisterManagedVar(registered, (void **)&cells, (char *)"cells", "cells", 0, 16, 0, 0);
    __cudaRegisterFatBinaryEnd(registered);
}

__attribute__((destructor)) static void after(void)
{
    __cudaUnregisterFatBinary(registered);
}

enum { N = 1000 };

int main(void)
{
    static float numbers[N], back[N];
    float three = 3, milliseconds = -1, *on_device, *managed;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    int devices = 0, warp = 0, version = 0;
    char properties[1040];
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaDeviceGetAttribute(&warp, 10, 0));
    RIGHT(devices == 1 && warp == 32);
    for (int i = 0; i < N; i++)
        numbers[i] = i;
    CHECK(cudaRuntimeGetVersion(&version));
    RIGHT(version / 1000 == CUDART);
    CHECK(PROPERTIES(properties, 0));
    RIGHT(*(int *)(properties + MULTIPROCESSORS) == 132);
    CHECK(cudaMalloc((void **)&on_device, sizeof numbers));
    CHECK(cudaMemcpy(on_device, numbers, sizeof numbers, 1));
    CHECK(cudaMemcpyToSymbol(&factor, &three, sizeof three, 0, 1));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, stream));
    LAUNCH((N + 255) / 256, 256, 0, stream, scale(on_device, N));
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(back, on_device, sizeof back, 4));
    for (int i = 0; i < N; i++)
        RIGHT(back[i] == 3.0f * i);
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    /* An event behind a function that has not returned is not done, and nobody waits for that. */
    CHECK(cudaEventRecord(start, stream));
    CHECK(cudaLaunchHostFunc(stream, hold, 0));
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaEventQuery(start));
    RIGHT(cudaEventQuery(stop) == 600 && cudaStreamQuery(stream) == 600);
    RIGHT(cudaEventElapsedTime(&milliseconds, start, stop) == 600);
    is_held = 0;
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventQuery(stop));
    CHECK(cudaStreamQuery(stream));
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    RIGHT(milliseconds > 20);
    RIGHT(milliseconds >= 0);
    CHECK(cudaMallocManaged((void **)&managed, 4 * sizeof *managed, 1));
    for (int i = 0; i < 4; i++)
        managed[i] = i;
    CHECK(PREFETCH(managed, 4 * sizeof *managed));
    CHECK(cudaMemAdvise(managed, 4 * sizeof *managed, 1, 0));
    LAUNCH(1, 4, 0, 0, scale(managed, 4));
    CHECK(cudaDeviceSynchronize());
    RIGHT(managed[3] == 9);
    CHECK(cudaFree(managed));
    RIGHT(__cudaInitModule(registered) && cells && cells[0] == 1);
    for (int i = 0; i < 4; i++)
        cells[i] += i;
    LAUNCH(1, 4, 0, 0, scale(cells, 4));
    CHECK(cudaDeviceSynchronize());
    RIGHT(cells[0] == 3 && cells[3] == 9);
    CHECK(cudaMemcpyFromSymbol(back, cells, 16, 0, 2));
    RIGHT(back[0] == 3 && back[3] == 9);
    CHECK(cudaFree(on_device));
    CHECK(cudaFree(0));
    /* A mistake is the thread's last error until it is asked for. Some have numbers that the driver does not have. */
    LAUNCH(1, 2000, 0, 0, scale(on_device, N));
    RIGHT(cudaPeekAtLastError() == 9);
    RIGHT(cudaGetLastError() == 9);
    RIGHT(cudaGetLastError() == 0);
    RIGHT(cudaLaunchKernel((void *)main, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, 0, 0) == 98);
    RIGHT(cudaMemcpyToSymbol(&three, &three, sizeof three, 0, 1) == 13);
    RIGHT(cudaMemcpy(back, numbers, 4, 17) == 21);
    RIGHT(!strcmp(cudaGetErrorName(98), "cudaErrorInvalidDeviceFunction"));
    cudaGetLastError();
    /* A fault stays until the device is reset; then the kernel is loaded anew. */
    LAUNCH(1, 1, 0, 0, scale((float *)64, 1));
    RIGHT(cudaDeviceSynchronize() == 700);
    RIGHT(!strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress"));
    RIGHT(cudaMalloc((void **)&on_device, 4) == 700);
    CHECK(cudaDeviceReset());
    cudaGetLastError();
    CHECK(cudaMalloc((void **)&on_device, 4));
    CHECK(cudaMemset(on_device, 0, 4));
    LAUNCH(1, 1, 0, 0, scale(on_device, 1));
    CHECK(cudaDeviceSynchronize());
    printf("the runtime is right\n");
    return 0;
}
