/* An allocator that grows in place, by virtual memory management of the driver API, and knows nothing of warpsim. What it uses
   is declared here, because there may be no cuda.h. `racy` leaves out what orders a kernel with the copy of what it writes,
   `unmapped` lets a kernel write where nothing is mapped any more, `leak` does not release. It ends with 0 when all is right. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;

static const char *text =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry fill(.param .u64 to, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r5, %r2, %r3, %r4; setp.ge.u32 %p, %r5, %r1; @%p bra DONE;\n"
    "  mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r5;\n"
    "DONE: ret;\n"
    "}\n";

struct properties {
    int type, handles;
    struct { int type, id; } location;
    void *meta;
    unsigned char flags[8];
};

struct access {
    struct { int type, id; } location;
    int flags;
};

static void *library;

static int call(const char *name, long a, long b, long c, long d, long e, long f)
{
    int (*found)(long, long, long, long, long, long) = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(20);
    }
    return found(a, b, c, d, e, f);
}

static void check(int line, int answer, int wanted)
{
    if (answer != wanted) {
        fprintf(stderr, "line %d: %d, not %d\n", line, answer, wanted);
        exit(21);
    }
}

#define GIVES(wanted, name, a, b, c, d, e, f) \
    check(__LINE__, call(#name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)), wanted)
#define CALL(name, a, b, c, d, e, f) GIVES(0, name, a, b, c, d, e, f)

static struct properties wanted = {1, 1, {1, 0}, 0, {0}};
static struct access all = {{1, 0}, 3};

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    void *context, *module, *kernel, *stream, *other;
    long piece = 0;
    address start = 0, memory[3], again, flags = 9;
    int supported = 0;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 22;
    CALL(cuInit, 0, 0, 0, 0, 0, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0, 0, 0, 0, 0);
    CALL(cuCtxSetCurrent, context, 0, 0, 0, 0, 0);
    CALL(cuDeviceGetAttribute, &supported, 102, 0, 0, 0, 0);
    CALL(cuMemGetAllocationGranularity, &piece, &wanted, 0, 0, 0, 0);
    CALL(cuMemAddressReserve, &start, 64 * piece, 0, 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        CALL(cuMemCreate, &memory[i], piece, &wanted, 0, 0, 0);
        CALL(cuMemMap, start + i * piece, piece, 0, memory[i], 0, 0);
    }
    CALL(cuMemSetAccess, start, 3 * piece, &all, 1, 0, 0);
    CALL(cuMemGetAccess, &flags, &all.location, start + piece + 5, 0, 0, 0);
    CALL(cuModuleLoadData, &module, text, 0, 0, 0, 0);
    CALL(cuModuleGetFunction, &kernel, module, "fill", 0, 0, 0);
    CALL(cuStreamCreate, &stream, 1, 0, 0, 0, 0);
    CALL(cuStreamCreate, &other, 1, 0, 0, 0, 0);
    if (!supported || piece != 2 << 20 || flags != 3)
        return 23;

    /* Over both borders. */
    unsigned n = (unsigned)(piece / 4 + 2000);
    address to = start + piece - 4000;
    void *parameters[] = {&to, &n};
    int (*launch)(void *, int, int, int, int, int, int, int, void *, void **, void **) = dlsym(library, "cuLaunchKernel");
    check(__LINE__, launch(kernel, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, parameters, 0), 0);
    if (strcmp(what, "racy"))
        CALL(cuStreamSynchronize, stream, 0, 0, 0, 0, 0);
    unsigned *back = malloc(4 * n);
    CALL(cuMemcpyDtoHAsync_v2, back, to, 4 * n, other, 0, 0);
    CALL(cuCtxSynchronize, 0, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < n; i++)
        if (back[i] != i)
            return 24;

    /* The middle goes, and comes back behind the others. */
    CALL(cuMemUnmap, start + piece, piece, 0, 0, 0, 0);
    GIVES(1, cuMemcpyDtoH_v2, back, to, 4 * n, 0, 0, 0);
    CALL(cuMemMap, start + 3 * piece, piece, 0, memory[1], 0, 0);
    CALL(cuMemSetAccess, start + 3 * piece, piece, &all, 1, 0, 0);
    CALL(cuMemcpyDtoH_v2, back, start + 3 * piece, 4, 0, 0, 0);
    if (back[0] != 1000)
        return 25;
    if (!strcmp(what, "unmapped")) {
        check(__LINE__, launch(kernel, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, parameters, 0), 0);
        GIVES(700, cuCtxSynchronize, 0, 0, 0, 0, 0, 0);
        puts("a fault stayed");
        return 0;
    }

    /* What the reference says of mistakes. */
    GIVES(1, cuMemAddressFree, start, 64 * piece, 0, 0, 0, 0);
    GIVES(1, cuMemCreate, &again, piece + 1, &wanted, 0, 0, 0);
    GIVES(1, cuMemMap, start, piece, 0, memory[0], 0, 0);
    GIVES(1, cuMemUnmap, start + 5 * piece, piece, 0, 0, 0, 0);
    CALL(cuMemRetainAllocationHandle, &again, start + 12, 0, 0, 0, 0);
    if (again != memory[0])
        return 26;
    CALL(cuMemRelease, again, 0, 0, 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        if (!strcmp(what, "leak") && i == 1)
            continue;
        CALL(cuMemRelease, memory[i], 0, 0, 0, 0, 0);
        GIVES(1, cuMemRelease, memory[i], 0, 0, 0, 0, 0);
    }
    CALL(cuMemUnmap, start, piece, 0, 0, 0, 0);
    CALL(cuMemUnmap, start + 2 * piece, 2 * piece, 0, 0, 0, 0);
    CALL(cuMemAddressFree, start, 64 * piece, 0, 0, 0, 0);
    GIVES(1, cuMemAddressFree, start, 64 * piece, 0, 0, 0, 0);
    puts("memory is right");
    return 0;
}
