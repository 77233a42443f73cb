/* A program on the runtime API that knows nothing of warpsim: a library of kernels, a graph that allocates, and an object that the
   graph keeps. What it uses is declared here, because there may be no header. `early` frees in the graph what the graph uses
   later, `racy` leaves out what orders the graph with a copy. It ends with 0 when all is right. */
#include <stdio.h>
#include <string.h>

typedef struct { unsigned x, y, z; } dim3_;
int cudaLibraryLoadData(void **, const void *, void *, void **, unsigned, void *, void **, unsigned);
int cudaLibraryGetKernel(void **, void *, const char *);
int cudaLibraryGetKernelCount(unsigned *, void *);
int cudaLibraryEnumerateKernels(void **, unsigned, void *);
int cudaLibraryGetGlobal(void **, size_t *, void *, const char *);
int cudaLibraryUnload(void *);
int cudaFuncGetName(const char **, const void *);
int cudaFuncGetParamCount(const void *, size_t *);
int cudaLaunchKernel(const void *, dim3_, dim3_, void **, size_t, void *);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMallocAsync(void **, size_t, void *);
int cudaFreeAsync(void *, void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamSynchronize(void *);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, void *);
int cudaGraphDestroy(void *);
int cudaGraphExecDestroy(void *);
int cudaDeviceGetGraphMemAttribute(int, int, void *);
int cudaUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned);
int cudaGraphRetainUserObject(void *, void *, unsigned, unsigned);
int cudaMemPoolCreate(void **, const void *);
int cudaMemPoolDestroy(void *);

#define CHECK(call)                                                   \
    do {                                                              \
        int answer_ = (call);                                         \
        if (answer_) {                                                \
            fprintf(stderr, "line %d: %d\n", __LINE__, answer_);       \
            return 21;                                                \
        }                                                             \
    } while (0)

static const char *text =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 step = 3;\n"
    ".visible .entry fill(.param .u64 to)\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; ld.global.u32 %r2, [step];\n"
    "  mul.lo.u32 %r2, %r2, %r1; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r2;\n"
    "  ret;\n"
    "}\n";

static int destroyed;

static void destroy(void *data)
{
    destroyed += *(int *)data;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    void *library, *kernel, *same, *variable, *stream, *other, *graph, *instance, *object, *memory, *out, *pool;
    unsigned long long used = 9;
    unsigned kernels = 0, words[64], step = 5;
    size_t bytes = 0, parameters = 0;
    const char *name = "";
    int seven = 7;
    CHECK(cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "fill"));
    CHECK(cudaLibraryGetKernelCount(&kernels, library));
    CHECK(cudaLibraryEnumerateKernels(&same, 1, library));
    CHECK(cudaLibraryGetGlobal(&variable, &bytes, library, "step"));
    CHECK(cudaFuncGetName(&name, kernel));
    CHECK(cudaFuncGetParamCount(kernel, &parameters));
    if (kernels != 1 || same != kernel || bytes != 4 || strcmp(name, "fill") || parameters != 1)
        return 22;
    if (cudaLibraryGetKernel(&same, library, "none") == 0 || cudaLibraryGetGlobal(&same, 0, library, "none") != 13)
        return 23;
    CHECK(cudaMemcpy(variable, &step, 4, 1));
    CHECK(cudaMalloc(&out, 256));
    CHECK(cudaStreamCreateWithFlags(&stream, 1));
    CHECK(cudaStreamCreateWithFlags(&other, 1));

    CHECK(cudaStreamBeginCapture(stream, 0));
    CHECK(cudaMallocAsync(&memory, 256, stream));
    void *list[] = {&memory};
    dim3_ one = {1, 1, 1}, all = {64, 1, 1};
    if (!strcmp(what, "early"))
        CHECK(cudaFreeAsync(memory, stream));
    CHECK(cudaLaunchKernel(kernel, one, all, list, 0, stream));
    CHECK(cudaMemcpyAsync(out, memory, 256, 3, stream));
    if (strcmp(what, "early"))
        CHECK(cudaFreeAsync(memory, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaUserObjectCreate(&object, &seven, destroy, 1, 1));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, 1));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(instance, stream));
    if (strcmp(what, "racy"))
        CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(words, out, 256, 2, other));
    CHECK(cudaStreamSynchronize(other));
    CHECK(cudaStreamSynchronize(stream));
    for (unsigned i = 0; i < 64; i++)
        if (words[i] != 5 * i)
            return 24;
    CHECK(cudaDeviceGetGraphMemAttribute(0, 0, &used));
    if (used || destroyed)
        return 25;
    CHECK(cudaGraphDestroy(graph));
    if (destroyed)
        return 26;
    CHECK(cudaGraphExecDestroy(instance));
    if (destroyed != 7)
        return 27;
    char properties[88] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    CHECK(cudaMemPoolCreate(&pool, properties));
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaFree(out));
    CHECK(cudaLibraryUnload(library));
    puts("graphs that allocate are right");
    return 0;
}
