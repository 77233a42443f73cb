/* Functions of both APIs by their names, as programs find them that look for them: old ones of the driver, launches as
   CUDA 3 had them, and of the runtime what samples use. It knows nothing of warpsim, and ends with 0 when all is right. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
    "  .reg .u64 %a, %o; .reg .u32 %t, %n, %v;\n"
    "  ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;\n"
    "  ld.global.u32 %v, [%a]; add.u32 %v, %v, %n; st.global.u32 [%a], %v; ret;\n}\n"
    ".visible .entry down(.param .u64 p, .param .u64 h)\n{\n"
    "  .reg .u64 %a, %h; .reg .u32 %v;\n"
    "  ld.param.u64 %a, [p]; ld.param.u64 %h, [h]; ld.global.u32 %v, [%a]; sub.u32 %v, %v, 1; st.global.u32 [%a], %v;\n"
    "  { .param .b64 x; .param .b32 y; st.param.b64 [x], %h; st.param.b32 [y], %v;\n"
    "    call.uni cudaGraphSetConditional, (x, y); }\n"
    "  ret;\n}\n";

typedef unsigned long long handle;
struct window { void *base; size_t bytes; float ratio; int hit, miss; };
struct extent { size_t width, height, depth; };
struct channels { int x, y, z, w, kind; };
struct resource { int kind; union { void *array; long words[6]; } of; unsigned flags; };
struct texture { int address[3], filter, mode, srgb; float border[4]; int normalized, anisotropy, between; float levels[3]; int more[2]; };
struct parameters { /* cudaGraphNodeParams */
    int type, reserved[3];
    union {
        long long all[29];
        struct { void *function; unsigned grid[3], block[3], shared; void **each, **extra; } kernel;
        struct { handle condition; int type; unsigned size; void **graphs; } conditional;
    } of;
    long long more;
};

static void *driver, *runtime;

static long (*named(void *library, const char *name))()
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(20);
    }
    return (long (*)())found;
}

#define CU(name) ((int (*)())named(driver, "cu" #name))
#define CUDA(name) ((int (*)())named(runtime, "cuda" #name))
#define IS(wanted, call) check(__LINE__, wanted, call)

static void check(int line, long wanted, long found)
{
    if (wanted != found) {
        fprintf(stderr, "line %d: %ld, not %ld\n", line, found, wanted);
        exit(1);
    }
}

static void old_names(void)
{
    void *context = 0, *again = 0, *address = 0, *host = 0;
    struct { void *affinity; int count; void *graphics; } nothing = {0};
    unsigned bytes = 0, status = 9;
    IS(0, CU(Init)(0));
    IS(0, CU(CtxCreate_v4)(&context, &nothing, 0, 0));
    IS(0, CU(CtxAttach)(&again, 0));
    IS(1, again == context);
    IS(0, CU(CtxDetach)(context));
    IS(0, CU(CtxDetach)(context));
    nothing.count = 1;
    IS(801, CU(CtxCreate_v4)(&context, &nothing, 0, 0));
    IS(0, CU(CtxCreate)(&context, 0, 0));
    /* More memory than 32 bits say, and addresses that they do not reach. */
    IS(0, CU(DeviceTotalMem)(&bytes, 0));
    IS(1, bytes == 0xffffffffu);
    IS(0, CU(MemAllocHost)(&host, 64));
    IS(801, CU(MemAlloc)(&bytes, 64));
    /* By a version comes what there was then. */
    IS(0, CU(GetProcAddress_v2)("cuMemAlloc", &address, 3010, 0L, &status));
    IS(1, address == dlsym(driver, "cuMemAlloc") && status == 0);
    IS(0, CU(GetProcAddress_v2)("cuMemAlloc", &address, 12000, 0L, &status));
    IS(1, address == dlsym(driver, "cuMemAlloc_v2") && status == 0);
    IS(0, CU(GetProcAddress_v2)("cuNoSuchFunction", &address, 12000, 0L, &status));
    IS(1, address == 0 && status == 1);
    IS(0, CUDA(GetDriverEntryPointByVersion)("cuCtxCreate", &address, 11040, 0L, &status));
    IS(1, address == dlsym(driver, "cuCtxCreate_v3") && status == 0);
    IS(0, CUDA(GetDriverEntryPointByVersion)("cuLaunchKernel", &address, 12000, 2L, &status));
    IS(1, address == dlsym(driver, "cuLaunchKernel_ptsz"));
    IS(0, CU(ProfilerInitialize)("", "", 0));
}

static void old_launch(void)
{
    void *module = 0, *add = 0;
    handle memory = 0;
    unsigned words[4] = {1, 2, 3, 4};
    IS(0, CU(ModuleLoadData)(&module, text));
    IS(0, CU(ModuleGetFunction)(&add, module, "add"));
    IS(0, CU(MemAlloc_v2)(&memory, sizeof words));
    IS(0, CU(MemcpyHtoD_v2)(memory, words, sizeof words));
    IS(0, CU(FuncSetBlockShape)(add, 4, 1, 1));
    IS(1, CU(FuncSetBlockShape)(add, 0, 1, 1));
    IS(0, CU(FuncSetSharedSize)(add, 0));
    IS(0, CU(ParamSetv)(add, 0, &memory, 8));
    IS(0, CU(ParamSeti)(add, 8, 10));
    IS(0, CU(ParamSetSize)(add, 12));
    IS(0, CU(LaunchGrid)(add, 1, 1));
    IS(0, CU(MemcpyDtoH_v2)(words, memory, sizeof words));
    IS(1, words[0] == 11 && words[3] == 14);
    IS(0, CU(MemFree_v2)(memory));
}

static void arrays(void)
{
    void *array = 0, *other = 0, *all = 0, *level = 0;
    int from[32], to[32] = {0}, wide[8] = {0};
    struct channels kind = {32, 0, 0, 0, 0}, of_level;
    struct extent size = {8, 4, 0}, found;
    struct resource of = {1}, told;
    struct texture how = {{1, 1, 1}, 0, 0, 0, {0}, 1, 0, 0, {0, 0, 3}}, told_how;
    handle texture = 0;
    for (int i = 0; i < 32; i++) from[i] = 3 * i + 1;
    IS(0, CUDA(MallocArray)(&array, &kind, 8L, 4L, 0));
    IS(0, CUDA(MallocArray)(&other, &kind, 16L, 2L, 0));
    /* Bytes go on in the next row. */
    IS(0, CUDA(MemcpyToArray)(array, 0L, 0L, from, sizeof from, 1));
    IS(0, CUDA(Memcpy2DFromArray)(to, 32L, array, 0L, 0L, 32L, 4L, 2));
    IS(0, memcmp(from, to, sizeof to));
    IS(0, CUDA(MemcpyFromArray)(wide, array, 16L, 1L, sizeof wide, 2));
    IS(0, memcmp(wide, from + 12, sizeof wide));
    IS(0, CUDA(MemcpyArrayToArray)(other, 0L, 0L, array, 0L, 0L, sizeof from, 3));
    memset(to, 0, sizeof to);
    IS(0, CUDA(MemcpyFromArray)(to, other, 0L, 0L, sizeof to, 2));
    IS(0, memcmp(from, to, sizeof to));
    IS(1, CUDA(MemcpyToArray)(array, 4L, 0L, from, sizeof from, 1));
    IS(0, CUDA(MallocMipmappedArray)(&all, &kind, size, 4, 0));
    IS(0, CUDA(GetMipmappedArrayLevel)(&level, all, 2));
    IS(0, CUDA(ArrayGetInfo)(&of_level, &found, 0L, level));
    IS(1, found.width == 2 && found.height == 1 && of_level.x == 32);
    of.of.array = all;
    IS(0, CUDA(CreateTextureObject)(&texture, &of, &how, 0L));
    IS(0, CUDA(GetTextureObjectResourceDesc)(&told, texture));
    IS(0, CUDA(GetTextureObjectTextureDesc)(&told_how, texture));
    IS(1, told.kind == 1 && told.of.array == all && !memcmp(&how, &told_how, sizeof how));
    IS(0, CUDA(DestroyTextureObject)(texture));
    IS(1, CUDA(GetTextureObjectResourceDesc)(&told, texture));
    IS(0, CUDA(FreeMipmappedArray)(all));
    IS(0, CUDA(FreeArray)(array));
    IS(0, CUDA(FreeArray)(other));
}

static void streams_and_memory(void)
{
    void *stream = 0;
    int *memory = 0, by[3] = {7, 7, 7}, is = 7;
    struct window window = {&window, 4096, 0.5f, 2, 1};
    union { struct window window; char bytes[64]; } set = {window}, got;
    size_t limit = 0;
    IS(0, CUDA(StreamCreate)(&stream));
    IS(0, CUDA(StreamSetAttribute)(stream, 1, &set));
    IS(0, CUDA(StreamGetAttribute)(stream, 1, &got));
    IS(0, memcmp(&got.window, &window, 28));
    IS(1, CUDA(StreamGetAttribute)(stream, 77, &got));
    IS(0, CUDA(CtxResetPersistingL2Cache)());
    IS(0, CUDA(MallocManaged)(&memory, 4096L, 1));
    IS(0, CUDA(StreamAttachMemAsync)(stream, memory, 0L, 4));
    IS(0, CUDA(StreamAttachMemAsync)(0L, memory, 4096L, 1));
    /* To no stream alone that all share, and not in part. */
    IS(1, CUDA(StreamAttachMemAsync)(0L, memory, 0L, 4));
    IS(1, CUDA(StreamAttachMemAsync)(stream, memory, 8L, 4));
    IS(0, CUDA(MemAdvise)(memory, 4096L, 1, 0));
    IS(0, CUDA(MemAdvise)(memory, 4096L, 5, -1));
    IS(101, CUDA(MemAdvise)(memory, 4096L, 5, 3));
    IS(0, CUDA(MemRangeGetAttribute)(&is, 4L, 1, memory, 4096L));
    IS(1, is);
    IS(0, CUDA(MemRangeGetAttribute)(by, sizeof by, 3, memory, 4096L));
    IS(1, by[0] == -1 && by[1] == -2 && by[2] == -2);
    IS(0, CUDA(MemPrefetchAsync)(memory, 4096L, 0, stream));
    IS(0, CUDA(MemRangeGetAttribute)(&is, 4L, 4, memory, 4096L));
    IS(0, is);
    IS(0, CUDA(ThreadSetLimit)(2, 1L << 20));
    IS(0, CUDA(ThreadGetLimit)(&limit, 2));
    IS(1, limit == 1 << 20);
    IS(0, CUDA(Free)(memory));
    IS(0, CUDA(StreamDestroy)(stream));
}

static void graphs(const char *picture)
{
    void *module = 0, *down = 0, *graph = 0, *body = 0, *instance = 0, *node = 0, *inner = 0;
    unsigned *memory = 0, word = 3, on = 1, is = 7;
    handle condition = 0;
    struct parameters deciding = {13}, kernel = {0};
    void *each[2] = {&memory, &condition};
    char line[4096] = "";
    IS(0, CU(ModuleLoadData)(&module, text));
    IS(0, CU(ModuleGetFunction)(&down, module, "down"));
    IS(0, CUDA(Malloc)(&memory, 4L));
    IS(0, CUDA(GraphCreate)(&graph, 0));
    IS(0, CUDA(GraphConditionalHandleCreate)(&condition, graph, 1, 1));
    deciding.of.conditional.condition = condition;
    deciding.of.conditional.type = 1;
    deciding.of.conditional.size = 1;
    IS(0, CUDA(GraphAddNode)(&node, graph, 0L, 0L, &deciding));
    body = deciding.of.conditional.graphs[0];
    kernel.of.kernel.function = down;
    for (int i = 0; i < 3; i++) kernel.of.kernel.grid[i] = kernel.of.kernel.block[i] = 1;
    kernel.of.kernel.each = each;
    IS(0, CUDA(GraphAddNode)(&inner, body, 0L, 0L, &kernel));
    IS(0, CUDA(GraphKernelNodeSetAttribute)(inner, 2, &on));
    IS(0, CUDA(GraphKernelNodeGetAttribute)(inner, 2, &is));
    IS(1, is);
    on = 0;
    IS(0, CUDA(GraphKernelNodeSetAttribute)(inner, 2, &on));
    IS(0, CUDA(GraphNodeGetType)(node, &is));
    IS(13, is);
    IS(0, CUDA(GraphDebugDotPrint)(graph, picture, 0));
    FILE *file = fopen(picture, "r");
    IS(1, file && fread(line, 1, sizeof line - 1, file) > 0 && strstr(line, "CONDITIONAL") && strstr(line, "down"));
    fclose(file);
    IS(0, CUDA(GraphInstantiate)(&instance, graph, 0L));
    IS(0, CUDA(Memcpy)(memory, &word, 4L, 1));
    IS(0, CUDA(GraphLaunch)(instance, 0L));
    IS(0, CUDA(Memcpy)(&word, memory, 4L, 2));
    IS(0, word);
    IS(0, CUDA(GraphExecDestroy)(instance));
    IS(0, CUDA(GraphDestroy)(graph));
    IS(0, CUDA(Free)(memory));
}

int main(int count, char **arguments)
{
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    runtime = dlopen("libcudart.so.12", RTLD_NOW);
    if (!driver || !runtime || count < 2) return 2;
    old_names();
    old_launch();
    arrays();
    streams_and_memory();
    graphs(arguments[1]);
    IS(0, CUDA(ThreadExit)());
    printf("all names are right\n");
    return 0;
}
