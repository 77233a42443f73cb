/* A program on the runtime API that knows nothing of warpsim: memory that host and device share, written by both. What it uses is
   declared here, because there may be no header. The first argument says what it does; it ends with 0 when all is right.

   beside    a thread of the host writes page-locked memory while a kernel runs that has nothing to do with it
   staged    a copy from pageable memory behind a function of the program that writes there
   fault     memory is freed after a fault
   KIND HOW  two rounds: the host fills memory of a kind (locked, managed, registered), and the device reads it in a stream by a
             kernel or by a copy. HOW says what lies between the rounds:
             nothing   the host overwrites what the device may not have read yet
             wait      it waits for the stream;  query: it asks the stream;  event: it waits for an event
             function  a function that the stream calls fills the memory for the next round
             learn     such a function tells the host that the round is over */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { unsigned x, y, z; } dim3_;
int cudaLibraryLoadData(void **, const void *, void *, void **, unsigned, void *, void **, unsigned);
int cudaLibraryGetKernel(void **, void *, const char *);
int cudaLaunchKernel(const void *, dim3_, dim3_, void **, size_t, void *);
int cudaMalloc(void **, size_t);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMallocHost(void **, size_t);
int cudaHostRegister(void *, size_t, unsigned);
int cudaHostGetDevicePointer(void **, void *, unsigned);
int cudaFree(void *);
int cudaFreeHost(void *);
int cudaFreeAsync(void *, void *);
int cudaMallocAsync(void **, size_t, void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamSynchronize(void *);
int cudaStreamQuery(void *);
int cudaEventCreateWithFlags(void **, unsigned);
int cudaEventRecord(void *, void *);
int cudaEventSynchronize(void *);
int cudaDeviceSynchronize(void);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);

#define CHECK(call)                                                   \
    do {                                                              \
        int answer_ = (call);                                         \
        if (answer_) {                                                \
            fprintf(stderr, "line %d: %d\n", __LINE__, answer_);      \
            exit(21);                                                 \
        }                                                             \
    } while (0)

enum { WORDS = 64 };
static const dim3_ one = {1, 1, 1}, all = {WORDS, 1, 1};
static void *stream, *kernel, *busy, *wild;

static const char *text =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry use(.param .u64 from, .param .u64 to)\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;\n"
    "  add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3; ld.global.u32 %r2, [%d1]; st.global.u32 [%d2], %r2; ret;\n"
    "}\n"
    ".visible .entry busy(.param .u64 to)\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p;\n"
    "  ld.param.u64 %d, [to]; mov.u32 %r1, 0;\n"
    "AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 3000000; @%p bra AGAIN;\n"
    "  st.global.u32 [%d], %r1; ret;\n"
    "}\n"
    ".visible .entry wild()\n"
    "{\n"
    "  .reg .b64 %d; mov.u64 %d, 64; st.global.u32 [%d], 1; ret;\n"
    "}\n";

static volatile int is_over;

static void *run_busy(void *to)
{
    void *parameters[] = {&to};
    CHECK(cudaLaunchKernel(busy, one, one, parameters, 0, 0));
    CHECK(cudaDeviceSynchronize());
    is_over = 1;
    return 0;
}

static int beside(void)
{
    int *locked, *memory, wrong = 0, written = 0;
    pthread_t other;
    CHECK(cudaMallocHost((void **)&locked, 4096));
    CHECK(cudaMalloc((void **)&memory, 4));
    pthread_create(&other, 0, run_busy, memory);
    /* Each write must stay, whenever it happens. */
    while (!is_over) {
        locked[7] = ++written;
        usleep(200);
        wrong += locked[7] != written;
    }
    pthread_join(other, 0);
    CHECK(cudaDeviceSynchronize());
    wrong += locked[7] != written;
    printf("%s\n", wrong == 0 && written > 10 ? "nothing is lost" : "a write is lost");
    return wrong != 0;
}

static void set_later(void *word)
{
    usleep(20000);
    *(int *)word = 7;
}

static int staged(void)
{
    int word = 1, now = 2, *memory, arrived[2];
    CHECK(cudaMalloc((void **)&memory, 8));
    CHECK(cudaLaunchHostFunc(stream, set_later, &word));
    CHECK(cudaMemcpyAsync(memory, &word, 4, 1, stream));
    CHECK(cudaStreamSynchronize(stream));
    /* A copy that the host waits for reads when what the stream does before is over. */
    CHECK(cudaLaunchHostFunc(0, set_later, &now));
    CHECK(cudaMemcpy(memory + 1, &now, 4, 1));
    CHECK(cudaMemcpy(arrived, memory, 8, 2));
    printf("%d %d\n", arrived[0], arrived[1]);
    CHECK(cudaFree(memory));
    return 0;
}

static int fault(void)
{
    void *memory, *locked, *managed, *pooled;
    CHECK(cudaMalloc(&memory, 64));
    CHECK(cudaMallocHost(&locked, 64));
    CHECK(cudaMallocManaged(&managed, 64, 1));
    CHECK(cudaMallocAsync(&pooled, 64, stream));
    CHECK(cudaLaunchKernel(wild, one, one, 0, 0, 0));
    int failed = cudaDeviceSynchronize() == 700;
    failed += cudaFree(memory) == 700;
    failed += cudaFreeHost(locked) == 700;
    failed += cudaFree(managed) == 700;
    failed += cudaFreeAsync(pooled, stream) == 700;
    printf("%d calls failed\n", failed);
    return failed != 5;
}

static int *filled, round_;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void fill(int number)
{
    for (int i = 0; i < WORDS; i++)
        filled[i] = 1000 * number + 3 * i + 1;
}

static void fill_next(void *number)
{
    fill((int)(size_t)number);
}

static void tell(void *number)
{
    pthread_mutex_lock(&lock);
    round_ = (int)(size_t)number;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int rounds(const char *kind, const char *by, const char *how)
{
    int *on_device, *copy, *out, words[2 * WORDS], wrong = 0;
    void *event;
    CHECK(cudaEventCreateWithFlags(&event, 2));
    if (!strcmp(kind, "locked"))
        CHECK(cudaMallocHost((void **)&filled, 4 * WORDS));
    else if (!strcmp(kind, "managed"))
        CHECK(cudaMallocManaged((void **)&filled, 4 * WORDS, 1));
    else {
        filled = malloc(4 * WORDS);
        CHECK(cudaHostRegister(filled, 4 * WORDS, 0));
    }
    CHECK(cudaHostGetDevicePointer((void **)&on_device, filled, 0));
    CHECK(cudaMalloc((void **)&copy, 4 * WORDS));
    CHECK(cudaMalloc((void **)&out, 8 * WORDS));
    for (int number = 0; number < 2; number++) {
        if (number == 0 || strcmp(how, "function"))
            fill(number);
        int *to = out + number * WORDS, *from = on_device;
        if (!strcmp(by, "copy")) {
            CHECK(cudaMemcpyAsync(copy, filled, 4 * WORDS, 1, stream));
            from = copy;
        }
        void *parameters[] = {&from, &to};
        CHECK(cudaLaunchKernel(kernel, one, all, parameters, 0, stream));
        if (!strcmp(how, "wait"))
            CHECK(cudaStreamSynchronize(stream));
        else if (!strcmp(how, "query"))
            while (cudaStreamQuery(stream))
                ;
        else if (!strcmp(how, "event")) {
            CHECK(cudaEventRecord(event, stream));
            CHECK(cudaEventSynchronize(event));
        } else if (!strcmp(how, "function"))
            CHECK(cudaLaunchHostFunc(stream, fill_next, (void *)(size_t)(number + 1)));
        else if (!strcmp(how, "learn")) {
            CHECK(cudaLaunchHostFunc(stream, tell, (void *)(size_t)(number + 1)));
            pthread_mutex_lock(&lock);
            while (round_ <= number)
                pthread_cond_wait(&changed, &lock);
            pthread_mutex_unlock(&lock);
        }
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(words, out, sizeof words, 2));
    for (int i = 0; i < 2 * WORDS; i++)
        wrong += words[i] != 1000 * (i / WORDS) + 3 * (i % WORDS) + 1;
    printf("%d words are wrong\n", wrong);
    CHECK(cudaFree(copy));
    CHECK(cudaFree(out));
    if (!strcmp(kind, "locked"))
        CHECK(cudaFreeHost(filled));
    else if (!strcmp(kind, "managed"))
        CHECK(cudaFree(filled));
    return 0;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    void *library;
    CHECK(cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "use"));
    CHECK(cudaLibraryGetKernel(&busy, library, "busy"));
    CHECK(cudaLibraryGetKernel(&wild, library, "wild"));
    CHECK(cudaStreamCreateWithFlags(&stream, 0));
    if (!strcmp(what, "beside"))
        return beside();
    if (!strcmp(what, "staged"))
        return staged();
    if (!strcmp(what, "fault"))
        return fault();
    return rounds(what, count > 2 ? arguments[2] : "", count > 3 ? arguments[3] : "");
}
