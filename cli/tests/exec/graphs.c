/* A program that uses graphs of the CUDA runtime API: nodes one by one, a stream that is captured, a function of its own
   between kernels, an instance that is changed and launched again. `racy` leaves out what orders two streams, and `edge` the
   edge between two nodes. It links to libcudart and knows nothing of warpsim. */
#include "registered.h"

typedef struct {
    unsigned x, y, z;
} dim3;
typedef void *cudaStream_t, *cudaEvent_t, *cudaGraph_t, *cudaGraphNode_t, *cudaGraphExec_t;
typedef int cudaError_t;
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    void (*fn)(void *);
    void *userData;
};

extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
extern cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern cudaError_t cudaMalloc(void **, size_t), cudaFree(void *), cudaMemset(void *, int, size_t);
extern cudaError_t cudaMemcpy(void *, const void *, size_t, int), cudaMemsetAsync(void *, int, size_t, cudaStream_t);
extern cudaError_t cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t), cudaDeviceSynchronize(void);
extern cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned), cudaStreamSynchronize(cudaStream_t);
extern cudaError_t cudaEventCreate(cudaEvent_t *), cudaEventRecord(cudaEvent_t, cudaStream_t);
extern cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
extern cudaError_t cudaStreamBeginCapture(cudaStream_t, int), cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
extern cudaError_t cudaStreamIsCapturing(cudaStream_t, int *), cudaGetLastError(void);
extern cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned), cudaGraphDestroy(cudaGraph_t), cudaGraphExecDestroy(cudaGraphExec_t);
extern cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *);
extern cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *);
extern cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *);
extern cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *, const void *, size_t, int);
extern cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
extern cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t), cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
extern cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, void *);
extern cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t, void *), cudaGraphNodeGetType(cudaGraphNode_t, int *);

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 n)\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r3, [%d3]; add.u32 %r3, %r3, %r1; st.global.u32 [%d3], %r3; ret;\n"
    "}\n";
static char address_of_add; /* what stands for the kernel here */
__attribute__((constructor)) static void before(void)
{
    void **registered = register_text(ptx, sizeof ptx);
    __cudaRegisterFunction(registered, &address_of_add, (char *)"add", "add", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(registered);
}

enum { N = 32 };

static void count(void *calls)
{
    ++*(int *)calls;
}

static struct cudaKernelNodeParams node(void **arguments)
{
    return (struct cudaKernelNodeParams){&address_of_add, {1, 1, 1}, {N, 1, 1}, 0, arguments, 0};
}

/* memset -> add 1 -> the program's function -> add 2 -> copy back; then add 1 becomes add 10. */
static void one_by_one(unsigned *memory, int leave_out)
{
    unsigned one = 1, two = 2, ten = 10, back[N], calls = 0;
    void *first[] = {&memory, &one}, *second[] = {&memory, &two}, *changed[] = {&memory, &ten};
    struct cudaKernelNodeParams kernel = node(first), other = node(second), larger = node(changed), shown;
    struct cudaMemsetParams set = {memory, 0, 0, 4, N, 1};
    struct cudaHostNodeParams host = {count, &calls};
    cudaGraph_t graph;
    cudaGraphNode_t nodes[5];
    cudaGraphExec_t instance;
    size_t known = 0;
    int kind = -1;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&nodes[0], graph, 0, 0, &set));
    CHECK(cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], !leave_out, &kernel));
    CHECK(cudaGraphAddHostNode(&nodes[2], graph, &nodes[1], 1, &host));
    CHECK(cudaGraphAddKernelNode(&nodes[3], graph, &nodes[2], 1, &other));
    CHECK(cudaGraphAddMemcpyNode1D(&nodes[4], graph, &nodes[3], 1, back, memory, sizeof back, 2));
    CHECK(cudaGraphGetNodes(graph, 0, &known));
    CHECK(cudaGraphNodeGetType(nodes[2], &kind));
    RIGHT(known == 5 && kind == 3);
    CHECK(cudaGraphKernelNodeGetParams(nodes[3], &shown));
    RIGHT(shown.func == &address_of_add && *(unsigned *)shown.kernelParams[1] == 2);
    CHECK(cudaGraphInstantiateWithFlags(&instance, graph, 0));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(instance, 0));
    CHECK(cudaDeviceSynchronize());
    RIGHT(back[N - 1] == 3 && calls == 2);
    CHECK(cudaGraphExecKernelNodeSetParams(instance, nodes[1], &larger));
    CHECK(cudaGraphLaunch(instance, 0));
    CHECK(cudaDeviceSynchronize());
    RIGHT(back[N - 1] == 12 && calls == 3);
    CHECK(cudaGraphDestroy(graph));
    RIGHT(cudaGraphDestroy(graph) == 1);
    RIGHT(cudaGraphLaunch(0, 0) == 1);
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(instance));
}

/* Two streams of one capture, joined by an event. */
static void captured(unsigned *memory, int is_racy)
{
    unsigned one = 1, back[N];
    void *arguments[] = {&memory, &one};
    cudaStream_t stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    int status = -1;
    CHECK(cudaStreamCreateWithFlags(&stream, 1));
    CHECK(cudaStreamCreateWithFlags(&side, 1));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMemset(memory, 0, sizeof back));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(stream, 0));
    if (is_racy)
        CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaLaunchKernel(&address_of_add, (dim3){1, 1, 1}, (dim3){N, 1, 1}, arguments, 0, stream));
    if (!is_racy)
        CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    CHECK(cudaStreamIsCapturing(side, &status));
    RIGHT(status == 1);
    CHECK(cudaLaunchKernel(&address_of_add, (dim3){1, 1, 1}, (dim3){N, 1, 1}, arguments, 0, side));
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(stream, join, 0));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&instance, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(back, memory, sizeof back, 2));
    RIGHT(is_racy || back[7] == 6);
    CHECK(cudaStreamBeginCapture(stream, 0));
    RIGHT(cudaStreamSynchronize(stream) == 900);
    RIGHT(cudaStreamEndCapture(stream, &graph) == 901 && !graph);
    cudaGetLastError();
}

int main(int words, char **word)
{
    const char *how = words > 1 ? word[1] : "";
    unsigned *memory;
    CHECK(cudaMalloc((void **)&memory, N * sizeof *memory));
    one_by_one(memory, !strcmp(how, "edge"));
    captured(memory, !strcmp(how, "racy"));
    CHECK(cudaFree(memory));
    printf("graphs are right\n");
    return 0;
}
