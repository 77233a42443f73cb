/* Arrays, a texture and a surface of the driver API, with the structures of cuda.h as they lie in memory. It knows nothing of
   warpsim, and ends with 0 when all is right. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry twice(.param .u64 t, .param .u64 s)\n"
    "{\n"
    "  .reg .b64 %t, %s; .reg .b32 %x, %y, %v<4>, %b; .reg .f32 %f, %g;\n"
    "  ld.param.u64 %t, [t]; ld.param.u64 %s, [s]; mov.u32 %x, %tid.x; mov.u32 %y, %ctaid.x;\n"
    "  cvt.rn.f32.u32 %f, %x; add.f32 %f, %f, 0f3F000000; cvt.rn.f32.u32 %g, %y; add.f32 %g, %g, 0f3F000000;\n"
    "  tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%t, {%f, %g}];\n"
    "  add.u32 %v0, %v0, %v0; shl.b32 %b, %x, 2; sust.b.2d.b32.trap [%s, {%b, %y}], {%v0}; ret;\n"
    "}\n";

typedef unsigned long long handle;
struct array { size_t width, height; int format; unsigned channels; };
struct array3d { size_t width, height, depth; int format; unsigned channels, flags; };
struct resource {
    int type;
    union { handle array; int reserved[32]; } res;
    unsigned flags;
};
struct texture {
    int address[3], filter;
    unsigned flags, anisotropy;
    int between;
    float bias, least, most, border[4];
    int reserved[12];
};
struct copy {
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    handle from_device, from_array;
    size_t from_pitch, to_x, to_y;
    int to_type;
    void *to_host;
    handle to_device, to_array;
    size_t to_pitch, width, height;
};

static void *library;

static int call(const char *name, long a, long b, long c, long d)
{
    int (*found)(long, long, long, long) = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(20);
    }
    return found(a, b, c, d);
}

static void check(int line, int answer, int wanted)
{
    if (answer != wanted) {
        fprintf(stderr, "line %d: %d, not %d\n", line, answer, wanted);
        exit(21);
    }
}

#define GIVES(wanted, name, a, b, c, d) check(__LINE__, call(#name, (long)(a), (long)(b), (long)(c), (long)(d)), wanted)
#define CALL(name, a, b, c, d) GIVES(0, name, a, b, c, d)

int main(void)
{
    void *context, *module, *kernel;
    handle from, to, texture, surface;
    unsigned words[12], back[12], last = 0;
    int peer = 1;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 22;
    CALL(cuInit, 0, 0, 0, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0, 0, 0);
    CALL(cuCtxSetCurrent, context, 0, 0, 0);
    struct array wanted = {4, 3, 3, 1}, told;
    struct array3d wanted3d = {4, 3, 0, 3, 1, 2}, told3d;
    CALL(cuArrayCreate_v2, &from, &wanted, 0, 0);
    CALL(cuArray3DCreate_v2, &to, &wanted3d, 0, 0);
    CALL(cuArrayGetDescriptor_v2, &told, from, 0, 0);
    CALL(cuArray3DGetDescriptor_v2, &told3d, to, 0, 0);
    if (memcmp(&told, &wanted, sizeof told) || told3d.height != 3 || told3d.depth != 0 || told3d.flags != 2)
        return 23;
    for (int i = 0; i < 12; i++)
        words[i] = 10 + i;
    struct copy up = {.from_type = 1, .from_host = words, .from_pitch = 16, .to_type = 3, .to_array = from, .width = 16, .height = 3};
    CALL(cuMemcpy2D_v2, &up, 0, 0, 0);
    up.height = 4;
    GIVES(1, cuMemcpy2D_v2, &up, 0, 0, 0);
    struct resource of = {.type = 0, .res.array = from};
    struct texture how = {.address = {1, 1, 1}, .flags = 1};
    CALL(cuTexObjectCreate, &texture, &of, &how, 0);
    how.filter = 1;
    GIVES(1, cuTexObjectCreate, &surface, &of, &how, 0);
    of.res.array = to;
    CALL(cuSurfObjectCreate, &surface, &of, 0, 0);
    CALL(cuModuleLoadData, &module, text, 0, 0);
    CALL(cuModuleGetFunction, &kernel, module, "twice", 0);
    void *parameters[] = {&texture, &surface};
    int (*launch)(void *, int, int, int, int, int, int, int, void *, void **, void **) = dlsym(library, "cuLaunchKernel");
    check(__LINE__, launch(kernel, 3, 1, 1, 4, 1, 1, 0, 0, parameters, 0), 0);
    /* All but the first row and column. */
    struct copy down = {.from_x = 4, .from_y = 1, .from_type = 3, .from_array = to, .to_type = 1, .to_host = back, .width = 12, .height = 2};
    CALL(cuMemcpy2D_v2, &down, 0, 0, 0);
    for (int i = 0; i < 6; i++)
        if (back[i] != 2 * words[4 * (1 + i / 3) + 1 + i % 3])
            return 24;
    CALL(cuMemcpyAtoH_v2, &last, from, 12, 4);
    if (last != words[3])
        return 25;
    CALL(cuTexObjectDestroy, texture, 0, 0, 0);
    GIVES(1, cuTexObjectDestroy, texture, 0, 0, 0);
    CALL(cuSurfObjectDestroy, surface, 0, 0, 0);
    CALL(cuArrayDestroy, from, 0, 0, 0);
    CALL(cuArrayDestroy, to, 0, 0, 0);
    GIVES(400, cuArrayDestroy, to, 0, 0, 0);
    /* There is one device, which is no peer of itself. */
    CALL(cuDeviceCanAccessPeer, &peer, 0, 0, 0);
    GIVES(101, cuDeviceCanAccessPeer, &peer, 0, 1, 0);
    GIVES(101, cuDeviceGetP2PAttribute, &peer, 1, 0, 0);
    puts(peer ? "a peer" : "pictures are right");
    return peer;
}
