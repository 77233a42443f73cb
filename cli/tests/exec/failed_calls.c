/* A program on the runtime API that knows nothing of warpsim, some of whose calls fail. Its first argument says what it does about that;
   the calls whose failure nobody looks at are marked with their number. What it uses is declared here, because there may be no header. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned x, y, z; } dim3_;
int cudaLibraryLoadData(void **, const void *, void *, void **, unsigned, void *, void **, unsigned);
int cudaLibraryGetKernel(void **, void *, const char *);
int cudaLaunchKernel(const void *, dim3_, dim3_, void **, size_t, void *);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemset(void *, int, size_t);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorString(int);

static const char *text =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry put(.param .u64 to)\n"
    "{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r1;\n"
    "  ret;\n"
    "}\n";

static void *kernel;
static int failures;

static int release(void *memory)
{
    return cudaFree(memory);
}

static void forget(void *memory)
{
    cudaFree(memory); /* failure 9 */
}

static void *fill(void *data)
{
    cudaMemset(data, 1, 4096 + 1); /* failure 8 */
    return data;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    void *library, *p = 0, *null = 0;
    dim3_ one = {1, 1, 1}, tall = {1, 70000, 1}, all = {32, 1, 1}, many = {2048, 1, 1}, none = {0, 1, 1};
    int words[4] = {1, 2, 3, 4}, own[4];
    void *list[] = {&p}, *nowhere[] = {&null};
#define IS(word) (!strcmp(what, word))
    if (cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0) || cudaLibraryGetKernel(&kernel, library, "put"))
        return 21;
    if (cudaMalloc(&p, 4096)) /* allocated */
        return 22;
    if (IS("dropped") || IS("asked") || IS("peeked") || IS("named") || IS("exit")) {
        cudaLaunchKernel(kernel, one, many, list, 0, 0); /* failure 1 */
        cudaLaunchKernel(kernel, tall, all, list, 0, 0); /* failure 2 */
        cudaMemcpy(own, words, sizeof own, 1); /* failure 3 */
        cudaFree((char *)p + 8); /* failure 4 */
        cudaFree(p); /* freed */
        cudaFree(p); /* failure 5 */
        cudaLaunchKernel(kernel, one, all, list, 60000, 0); /* failure 6 */
        cudaLaunchKernel(kernel, one, none, list, 0, 0); /* failure 7 */
        if (IS("asked"))
            printf("%d\n", cudaGetLastError());
        if (IS("peeked"))
            printf("%d\n", cudaPeekAtLastError());
        if (IS("named")) /* Of two errors one is asked about. */
            printf("%s\n", cudaGetErrorString(9));
        if (IS("exit"))
            return 3;
    } else if (IS("looked")) {
        failures += cudaLaunchKernel(kernel, one, many, list, 0, 0) != 0;
        if (cudaFree((char *)p + 8) != 0)
            failures++;
        int answer = cudaFree(own);
        failures += answer != 0;
        if (release((char *)p + 8))
            failures++;
        printf("%d\n", failures);
    } else if (IS("wrapped")) {
        for (int i = 0; i < 3; i++)
            forget((char *)p + 8);
        failures += fill(p) != p;
    } else if (IS("handed-on")) {
        release((char *)p + 8);
    } else if (IS("fault")) {
        /* The kernel is what is told, and not each call behind it. */
        cudaLaunchKernel(kernel, one, all, nowhere, 0, 0);
        cudaDeviceSynchronize();
        cudaFree(p);
    } else if (IS("none")) {
        cudaLaunchKernel(kernel, one, all, list, 0, 0);
        cudaDeviceSynchronize();
        cudaFree(p);
        cudaFree(0);
    } else {
        return 23;
    }
    printf("done\n");
    return 0;
}
