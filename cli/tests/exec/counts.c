/* A program on the driver API that launches the kernels that its arguments name, one after the other; `kill` ends it.
   It knows nothing of warpsim; what it uses is declared here. */
#define _GNU_SOURCE
#include "loaded.h"
#include <signal.h>
#include <string.h>

typedef unsigned long long CUdeviceptr;
typedef void *Handle;

/* `part`: 2 blocks of 2 warps. Each warp stores 32 words at a distance of 128 bytes, and parts at one branch.
   `column`: 1 warp stores 32 words of shared memory at a distance of 128 bytes: all in one bank. */
static const char *kernels =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry part(.param .u64 p)\n"
    "{ .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %q;\n"
    "  ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    "  mad.lo.u32 %r1, %r2, 64, %r1; mul.wide.u32 %d2, %r1, 128; add.u64 %d1, %d1, %d2;\n"
    "  st.global.u32 [%d1], %r1;\n"
    "  mov.u32 %r3, %laneid; setp.lt.u32 %q, %r3, 16;\n"
    "  @%q bra L;\n"
    "  add.u32 %r1, %r1, 1;\n"
    "L: ret; }\n"
    ".visible .entry column(.param .u64 p)\n"
    "{ .reg .b32 %r<3>; .shared .align 128 .b8 tile[4096];\n"
    "  mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 128, %r2;\n"
    "  st.shared.u32 [%r2], %r1;\n"
    "  ret; }\n";

int main(int count, char **names)
{
    int device;
    Handle context, module, kernel;
    CUdeviceptr memory;
    void *arguments[] = {&memory};
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return 2;
    CHECK(cuInit, 0);
    CHECK(cuDeviceGet, &device, 0);
    CHECK(cuCtxCreate_v2, &context, 0, device);
    CHECK(cuModuleLoadData, &module, kernels);
    CHECK(cuMemAlloc_v2, &memory, (size_t)(128 * 128));
    for (int i = 1; i < count; i++) {
        unsigned is_part = !strcmp(names[i], "part");
        if (!strcmp(names[i], "kill")) raise(SIGKILL);
        CHECK(cuModuleGetFunction, &kernel, module, names[i]);
        CHECK(cuLaunchKernel, kernel, 1 + is_part, 1u, 1u, 32 + 32 * is_part, 1u, 1u, 0u, (Handle)0, arguments,
              (void **)0);
    }
    CHECK(cuCtxSynchronize);
    CHECK(cuMemFree_v2, memory);
    return 0;
}
