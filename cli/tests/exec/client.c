/* A program that uses the CUDA driver API and knows nothing of warpsim. What it uses is declared here, because there may
   be no cuda.h. It ends with 0 when all is right; `racy` and `fault` ask for kernels that are wrong. */
#include "checks.h"
#include "loaded.h"
#include <pthread.h>
#include <string.h>

typedef unsigned long long CUdeviceptr;
typedef void *Handle;

static const char *begin =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<8>; .reg .f32 %f<4>;\n"
    "  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p, %r5, %r1;\n"
    "  @%p bra DONE;\n"
    "  mul.wide.u32 %d4, %r5, 4;\n"
    "  add.u64 %d5, %d1, %d4; add.u64 %d6, %d2, %d4; add.u64 %d7, %d3, %d4;\n"
    "  ld.global.f32 %f1, [%d5]; ld.global.f32 %f2, [%d6];\n"
    "  add.f32 %f3, %f1, %f2;\n"
    "  st.global.f32 [%d7], %f3;\n"
    "DONE: ret;\n"
    "}\n"
    ".visible .entry last(.param .u64 out)\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %p; .shared .u32 cell[64];\n"
    "  ld.param.u64 %d1, [out];\n"
    "  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, cell; add.u32 %r2, %r2, %r3;\n"
    "  st.shared.u32 [%r2], %r1;\n";
static const char *end =
    "  setp.ne.u32 %p, %r1, 0; @%p bra DONE;\n"
    "  ld.shared.u32 %r1, [cell+252];\n"
    "  st.global.u32 [%d1], %r1;\n"
    "DONE: ret;\n"
    "}\n";

#define EXPECT(number, name, ...)                                              \
    do {                                                                       \
        int answer_ = CALL(name, __VA_ARGS__);                                  \
        if (answer_ != (number)) {                                              \
            fprintf(stderr, "%s: %d, not %d\n", #name, answer_, (number));      \
            exit(23);                                                          \
        }                                                                      \
    } while (0)

enum { N = 1000 };

static void launch(Handle kernel, unsigned blocks, unsigned threads, Handle stream, void **arguments)
{
    CHECK(cuLaunchKernel, kernel, blocks, 1u, 1u, threads, 1u, 1u, 0u, stream, arguments, (void **)0);
}

/* Two vectors added, in a stream between two events. */
static void add(Handle kernel)
{
    static float a[N], b[N], c[N];
    CUdeviceptr on_device[3];
    Handle stream, start, stop;
    float milliseconds = -1;
    unsigned n = N;
    void *arguments[] = {&on_device[0], &on_device[1], &on_device[2], &n};
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    for (int i = 0; i < 3; i++)
        CHECK(cuMemAlloc_v2, &on_device[i], sizeof a);
    CHECK(cuStreamCreate, &stream, 1u);
    CHECK(cuEventCreate, &start, 0u);
    CHECK(cuEventCreate, &stop, 0u);
    CHECK(cuMemcpyHtoDAsync_v2, on_device[0], a, sizeof a, stream);
    CHECK(cuMemcpyHtoDAsync_v2, on_device[1], b, sizeof b, stream);
    CHECK(cuEventRecord, start, stream);
    launch(kernel, (N + 127) / 128, 128, stream, arguments);
    CHECK(cuEventRecord, stop, stream);
    CHECK(cuMemcpyDtoHAsync_v2, c, on_device[2], sizeof c, stream);
    CHECK(cuStreamSynchronize, stream);
    for (int i = 0; i < N; i++)
        RIGHT(c[i] == 3.0f * i);
    CHECK(cuEventElapsedTime, &milliseconds, start, stop);
    RIGHT(milliseconds >= 0);
    for (int i = 0; i < 3; i++)
        CHECK(cuMemFree_v2, on_device[i]);
    EXPECT(1, cuMemFree_v2, on_device[0]); /* again */
    CHECK(cuEventDestroy_v2, start);
    CHECK(cuEventDestroy_v2, stop);
    CHECK(cuStreamDestroy_v2, stream);
    EXPECT(400, cuStreamSynchronize, stream); /* it is no more */
    printf("%d sums are right\n", N);
}

/* Memory that host and device have at one address, and some of the program's own that is registered. */
static void shared(Handle kernel)
{
    float *managed, *locked, *own = aligned_alloc(4096, 4096);
    CUdeviceptr of_own;
    unsigned n = 256;
    CHECK(cuMemAllocManaged, &managed, (size_t)1024, 1u);
    CHECK(cuMemAllocHost_v2, &locked, (size_t)1024);
    CHECK(cuMemHostRegister_v2, own, (size_t)4096, 0u);
    CHECK(cuMemHostGetDevicePointer_v2, &of_own, own, 0u);
    for (int i = 0; i < 256; i++) {
        managed[i] = i;
        locked[i] = 10 * i;
    }
    void *arguments[] = {&managed, &locked, &of_own, &n};
    launch(kernel, 2, 128, 0, arguments);
    CHECK(cuCtxSynchronize, 0);
    for (int i = 0; i < 256; i++)
        RIGHT(own[i] == 11.0f * i);
    int kind = 0;
    CHECK(cuPointerGetAttribute, &kind, 8, managed);
    RIGHT(kind == 1);
    EXPECT(1, cuPointerGetAttribute, &kind, 2, (CUdeviceptr)12345);
    CHECK(cuMemHostUnregister, own);
    CHECK(cuMemFreeHost, locked);
    CHECK(cuMemFree_v2, managed);
    free(own);
    printf("shared memory is right\n");
}

static void *thread(void *context)
{
    Handle current = (Handle)1;
    CUdeviceptr memory;
    CHECK(cuCtxGetCurrent, &current);
    RIGHT(current == 0);
    EXPECT(201, cuMemAlloc_v2, &memory, (size_t)4);
    CHECK(cuCtxSetCurrent, context);
    for (unsigned i = 0; i < 50; i++) {
        unsigned word = 0;
        CHECK(cuMemAlloc_v2, &memory, (size_t)64);
        CHECK(cuMemsetD32_v2, memory, i, (size_t)16);
        CHECK(cuMemcpyDtoH_v2, &word, memory + 60, (size_t)4);
        RIGHT(word == i);
        CHECK(cuMemFree_v2, memory);
    }
    return 0;
}

static void called(void *data)
{
    ++*(int *)data;
}

static void threads_and_callbacks(Handle context)
{
    pthread_t threads[4];
    int calls = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, thread, context);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < 3; i++)
        CHECK(cuLaunchHostFunc, (Handle)0, called, &calls);
    CHECK(cuCtxSynchronize, 0);
    RIGHT(calls == 3);
    printf("threads and callbacks are right\n");
}

/* What is wrong is an error, and nothing else. */
static void mistakes(Handle module, Handle kernel)
{
    CUdeviceptr memory;
    Handle found;
    char log[512] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)sizeof log};
    const char *name = 0;
    void *address = 0;
    EXPECT(1, cuMemAlloc_v2, (void *)0, (size_t)4);
    EXPECT(1, cuMemAlloc_v2, &memory, (size_t)0);
    EXPECT(2, cuMemAlloc_v2, &memory, (size_t)1 << 60);
    EXPECT(101, cuDeviceGet, &options[0], 7);
    options[0] = 5;
    EXPECT(500, cuModuleGetFunction, &found, module, "no_such_kernel");
    EXPECT(400, cuModuleGetFunction, &found, kernel, "add");
    EXPECT(218, cuModuleLoadDataEx, &found, "this is no PTX", 2u, options, values);
    RIGHT(strlen(log) > 0);
    EXPECT(200, cuModuleLoadData, &found, "\x50\xed\x55\xba\x01\x00\xff\xff\x00\x00\x00\x00\x00\x00\x00\x80");
    EXPECT(801, cuIpcGetMemHandle, &found, memory);
    CHECK(cuGetErrorName, 700, &name);
    RIGHT(!strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(cuGetProcAddress_v2, "cuMemAlloc", &address, 12000, 0ull, (void *)0);
    RIGHT(address == dlsym(library, "cuMemAlloc_v2"));
    printf("mistakes are errors\n");
}

/* A kernel that writes where nothing is. The error stays until the context is reset. */
static void fault(Handle kernel, Handle *context)
{
    CUdeviceptr nowhere = 64, memory;
    unsigned n = 1;
    void *arguments[] = {&nowhere, &nowhere, &nowhere, &n};
    launch(kernel, 1, 1, 0, arguments);
    EXPECT(700, cuCtxSynchronize, 0);
    EXPECT(700, cuMemAlloc_v2, &memory, (size_t)4);
    CHECK(cuDevicePrimaryCtxReset_v2, 0);
    CHECK(cuCtxSetCurrent, *context);
    CHECK(cuMemAlloc_v2, &memory, (size_t)4);
    printf("a fault stayed, and was reset\n");
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";
    int device, major, multiprocessors;
    Handle context, module, kernel, last;
    CUdeviceptr out;
    unsigned result = 0;
    char text[4096];
    void *arguments[] = {&out};
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 22;
    }
    EXPECT(3, cuDeviceGet, &device, 0);
    CHECK(cuInit, 0u);
    CHECK(cuDeviceGet, &device, 0);
    CHECK(cuDeviceGetAttribute, &major, 75, device);
    CHECK(cuDeviceGetAttribute, &multiprocessors, 16, device);
    printf("compute capability %d, %d multiprocessors\n", major, multiprocessors);
    CHECK(cuDevicePrimaryCtxRetain, &context, device);
    CHECK(cuCtxSetCurrent, context);
    snprintf(text, sizeof text, "%s%s%s", begin, strcmp(how, "racy") ? "  bar.sync 0;\n" : "\n", end);
    CHECK(cuModuleLoadData, &module, text);
    CHECK(cuModuleGetFunction, &kernel, module, "add");
    CHECK(cuModuleGetFunction, &last, module, "last");
    if (!strcmp(how, "fault")) {
        fault(kernel, &context);
        return 0;
    }
    add(kernel);
    CHECK(cuMemAlloc_v2, &out, (size_t)4);
    for (int i = 0; i < 3; i++)
        launch(last, 1, 64, 0, arguments);
    CHECK(cuMemcpyDtoH_v2, &result, out, (size_t)4);
    printf("the last thread wrote %u\n", result);
    if (!*how) {
        shared(kernel);
        threads_and_callbacks(context);
        mistakes(module, kernel);
    }
    CHECK(cuModuleUnload, module);
    CHECK(cuDevicePrimaryCtxRelease_v2, device);
    return 7 * !strcmp(how, "seven");
}
