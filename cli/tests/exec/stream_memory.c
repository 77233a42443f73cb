/* A program on the runtime API that knows nothing of warpsim: memory that is allocated and freed in the order of streams. Its first
   argument says what it does; the lines that allocate and free are marked for those who compare what is told. Mistakes stand beside
   their right forms. It ends with 0 where all calls were taken. What it uses is declared here, because there may be no header. */
#include <stdio.h>
#include <string.h>

typedef struct { unsigned x, y, z; } dim3_;
int cudaLibraryLoadData(void **, const void *, void *, void **, unsigned, void *, void **, unsigned);
int cudaLibraryGetKernel(void **, void *, const char *);
int cudaLaunchKernel(const void *, dim3_, dim3_, void **, size_t, void *);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMallocAsync(void **, size_t, void *);
int cudaFreeAsync(void *, void *);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamSynchronize(void *);
int cudaDeviceSynchronize(void);
int cudaEventCreateWithFlags(void **, unsigned);
int cudaEventRecord(void *, void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, void *);

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
    ".visible .entry put(.param .u64 to)\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r1;\n"
    "  ret;\n"
    "}\n";

static void *kernel, *a, *b, *event;

static int put(void *memory, void *stream)
{
    void *list[] = {&memory};
    dim3_ one = {1, 1, 1}, all = {64, 1, 1};
    return cudaLaunchKernel(kernel, one, all, list, 0, stream);
}

static int order(void *first, void *second)
{
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(second, event, 0));
    return 0;
}

/* Graph: both streams, of which the second joins the first; `inside` frees before that. */
static int graph(int is_joined)
{
    void *memory, *graph, *instance;
    CHECK(cudaStreamBeginCapture(a, 0));
    CHECK(cudaMallocAsync(&memory, 256, a)); /* graph allocates */
    CHECK(order(a, b));
    CHECK(put(memory, b));
    if (!is_joined)
        CHECK(cudaFreeAsync(memory, a)); /* graph frees */
    CHECK(order(b, a));
    if (is_joined)
        CHECK(cudaFreeAsync(memory, a));
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphLaunch(instance, a));
    CHECK(cudaGraphLaunch(instance, a));
    return 0;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    void *library, *p = 0, *q = 0;
#define IS(word) (!strcmp(what, word))
    CHECK(cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "put"));
    CHECK(cudaStreamCreateWithFlags(&a, 1));
    CHECK(cudaStreamCreateWithFlags(&b, 1));
    CHECK(cudaEventCreateWithFlags(&event, 2));
    if (IS("before-free")) {
        CHECK(cudaMallocAsync(&p, 256, a));
        CHECK(put(p, a));
        CHECK(cudaFreeAsync(p, a));
    } else if (IS("after-free")) {
        CHECK(cudaMallocAsync(&p, 256, a)); /* after-free allocates */
        CHECK(cudaFreeAsync(p, a)); /* after-free frees */
        CHECK(put(p, a));
    } else if (IS("after-free-and-wait")) {
        CHECK(cudaMallocAsync(&p, 256, a)); /* after-free-and-wait allocates */
        CHECK(cudaFreeAsync(p, a)); /* after-free-and-wait frees */
        CHECK(cudaStreamSynchronize(a));
        CHECK(put(p, a));
    } else if (IS("free-elsewhere")) {
        CHECK(cudaMallocAsync(&p, 256, a)); /* free-elsewhere allocates */
        CHECK(order(a, b));
        CHECK(put(p, b));
        CHECK(cudaFreeAsync(p, a)); /* free-elsewhere frees */
    } else if (IS("free-elsewhere-behind-event")) {
        CHECK(cudaMallocAsync(&p, 256, a));
        CHECK(order(a, b));
        CHECK(put(p, b));
        CHECK(order(b, a));
        CHECK(cudaFreeAsync(p, a));
    } else if (IS("free-elsewhere-first")) {
        CHECK(cudaMallocAsync(&p, 256, a)); /* free-elsewhere-first allocates */
        CHECK(cudaStreamSynchronize(a));
        CHECK(cudaFreeAsync(p, a)); /* free-elsewhere-first frees */
        CHECK(put(p, b));
    } else if (IS("before-allocation")) {
        CHECK(cudaMallocAsync(&p, 256, a)); /* before-allocation allocates */
        CHECK(put(p, b));
        CHECK(order(b, a));
        CHECK(cudaFreeAsync(p, a)); /* before-allocation frees */
    } else if (IS("behind-allocation")) {
        CHECK(cudaMallocAsync(&p, 256, a));
        CHECK(cudaStreamSynchronize(a));
        CHECK(put(p, b));
        CHECK(cudaFreeAsync(p, b));
    } else if (IS("free-before-allocation")) {
        CHECK(cudaMallocAsync(&p, 256, a)); /* free-before-allocation allocates */
        CHECK(cudaFreeAsync(p, b)); /* free-before-allocation frees */
    } else if (IS("copy-after-free")) {
        CHECK(cudaMalloc(&q, 256));
        CHECK(cudaMallocAsync(&p, 256, a)); /* copy-after-free allocates */
        CHECK(put(p, a));
        CHECK(cudaFreeAsync(p, a)); /* copy-after-free frees */
        CHECK(cudaMemcpyAsync(q, p, 256, 3, a));
    } else if (IS("host-frees")) {
        CHECK(cudaMallocAsync(&p, 256, a)); /* host-frees allocates */
        CHECK(cudaStreamSynchronize(a));
        CHECK(put(p, a));
        CHECK(cudaFree(p)); /* host-frees frees */
    } else if (IS("host-waits-and-frees")) {
        CHECK(cudaMallocAsync(&p, 256, a));
        CHECK(put(p, a));
        CHECK(cudaStreamSynchronize(a));
        CHECK(cudaFree(p));
    } else if (IS("plain-freed-elsewhere")) {
        CHECK(cudaMalloc(&p, 256)); /* plain-freed-elsewhere allocates */
        CHECK(put(p, a));
        CHECK(cudaFreeAsync(p, b)); /* plain-freed-elsewhere frees */
    } else if (IS("plain-freed-in-order")) {
        CHECK(cudaMalloc(&p, 256));
        CHECK(put(p, a));
        CHECK(cudaFreeAsync(p, a));
    } else if (IS("plain-freed-by-host")) {
        CHECK(cudaMalloc(&p, 256));
        CHECK(put(p, a));
        CHECK(cudaFree(p));
    } else if (IS("plain-after-free")) {
        CHECK(cudaMalloc(&p, 256)); /* plain-after-free allocates */
        CHECK(cudaFree(p)); /* plain-after-free frees */
        CHECK(put(p, a));
    } else if (IS("used-again")) {
        for (int i = 0; i < 3; i++) {
            CHECK(cudaMallocAsync(&p, 256, a));
            CHECK(put(p, a));
            CHECK(cudaFreeAsync(p, a));
        }
        CHECK(order(a, b));
        CHECK(cudaMallocAsync(&q, 256, b));
        CHECK(put(q, b));
        CHECK(cudaFreeAsync(q, b));
    } else if (IS("more-than-there-is")) {
        /* 100 pieces of 4 GB, of which 141 GB hold some thirty, and nothing that waits. */
        for (int i = 0; i < 100; i++) {
            CHECK(cudaMallocAsync(&p, 4ull << 30, a));
            CHECK(cudaFreeAsync(p, a));
        }
    } else if (IS("graph")) {
        CHECK(graph(0));
    } else if (IS("graph-joined")) {
        CHECK(graph(1));
    } else {
        return 22;
    }
    cudaDeviceSynchronize();
    printf("done\n");
    return 0;
}
