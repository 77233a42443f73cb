/* A mock of a device: it loads libgpuocelot.so and runs kernels in memory of its own.
 *
 *   own_memory           adds arrays that malloc and the stack gave, and 40 MiB apart
 *   own_memory racy      lets all threads store to one word
 *   own_memory beyond    writes to an address that the process has not
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*run_t)(const char *, int, void **, int, int, int, int, int, int, int);

static const char *const SOURCE =
    ".version 7.0 .target sm_80 .address_size 64\n"
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 to, .param .u32 step) {\n"
    "  .reg .u64 %a, %b, %to, %o; .reg .u32 %t, %n, %c, %s, %x, %y;\n"
    "  ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %to, [to];\n"
    "  ld.param.u32 %s, [step];\n"
    "  mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x;\n"
    "  mad.lo.u32 %t, %c, %n, %t; mul.wide.u32 %o, %t, 4;\n"
    "  add.u64 %a, %a, %o; add.u64 %b, %b, %o;\n"
    "  mul.lo.u32 %t, %t, %s; mul.wide.u32 %o, %t, 4; add.u64 %to, %to, %o;\n"
    "  ld.global.u32 %x, [%a]; ld.global.u32 %y, [%b]; add.u32 %x, %x, %y;\n"
    "  st.global.u32 [%to], %x; ret;\n"
    "}\n";

int main(int argc, char **argv) {
    void *library = dlopen("libgpuocelot.so", RTLD_NOW);
    if (!library) return printf("%s\n", dlerror()), 3;
    run_t run = (run_t)dlsym(library, "ptx_run");
    if (!run) return printf("%s\n", dlerror()), 3;
    int is_racy = argc > 1 && !strcmp(argv[1], "racy");
    uint32_t step = is_racy ? 0 : 160000, here[64], *heap = malloc(sizeof here);
    uint32_t *far = calloc(64, 160000 * 4);
    for (uint32_t i = 0; i < 64; i++) here[i] = i, heap[i] = 1000 * i;
    void *to = argc > 1 && !strcmp(argv[1], "beyond") ? (void *)16 : far;
    void *values[] = {here, heap, to, (void *)(uintptr_t)step};
    int code = run(SOURCE, 4, values, 32, 1, 1, 2, 1, 1, 0);
    int wrong = 0;
    for (uint32_t i = 0; i < 64 && !is_racy && !code; i++) wrong += far[i * step] != 1001 * i;
    printf("code %d, %d wrong\n", code, wrong);
    return wrong != 0;
}
