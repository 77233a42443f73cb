/* A program that makes machine code, as libraries for Python do: with the assembler that it finds in its PATH, with nvJitLink, to
   which it is linked, and with NVRTC, which it opens. It loads what comes of each, and tries what is wrong. It knows nothing of
   warpsim. What it uses is declared here, because there may be no headers. It ends with 0 when all is right. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;
typedef unsigned long long Address;

/* As `nvJitLink.h` of CUDA 12.4 names them. */
int __nvJitLinkCreate_12_4(Handle *, unsigned, const char **);
int __nvJitLinkDestroy_12_4(Handle *);
int __nvJitLinkAddData_12_4(Handle, int, const void *, size_t, const char *);
int __nvJitLinkAddFile_12_4(Handle, int, const char *);
int __nvJitLinkComplete_12_4(Handle);
int __nvJitLinkGetLinkedCubinSize_12_4(Handle, size_t *);
int __nvJitLinkGetLinkedCubin_12_4(Handle, void *);
int __nvJitLinkGetLinkedPtxSize_12_4(Handle, size_t *);
int __nvJitLinkGetErrorLogSize_12_4(Handle, size_t *);
int __nvJitLinkGetErrorLog_12_4(Handle, char *);

static const char *kernel =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) helper(.param .b32 x);\n"
    ".visible .entry k(.param .u64 p) {\n"
    "  .reg .u64 %a; .reg .b32 %v; .param .b32 x; .param .b32 r;\n"
    "  ld.param.u64 %a, [p]; ld.global.u32 %v, [%a];\n"
    "  st.param.b32 [x], %v; call (r), helper, (x); ld.param.b32 %v, [r];\n"
    "  st.global.u32 [%a], %v; ret;\n}\n";
static const char *helper =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .b32 r) helper(.param .b32 x) {\n"
    "  .reg .b32 %v; ld.param.b32 %v, [x]; mad.lo.u32 %v, %v, 10, 2; st.param.b32 [r], %v; ret;\n}\n";

static void *driver;

#define CALL(library, name, ...) ((int (*)())dlsym(library, #name))(__VA_ARGS__)
#define EXPECT(number, call)                                                     \
    do {                                                                         \
        int answer_ = (call);                                                    \
        if (answer_ != (number)) {                                                \
            fprintf(stderr, "line %d: %d, not %d\n", __LINE__, answer_, (number)); \
            exit(21);                                                            \
        }                                                                        \
    } while (0)

/* Loads a module and runs its kernel on 4. */
static int ran(const void *image)
{
    Handle module, function;
    Address memory;
    int value = 4;
    void *parameters[] = {&memory};
    EXPECT(0, CALL(driver, cuModuleLoadData, &module, image));
    EXPECT(0, CALL(driver, cuModuleGetFunction, &function, module, "k"));
    EXPECT(0, CALL(driver, cuMemAlloc_v2, &memory, (size_t)4));
    EXPECT(0, CALL(driver, cuMemcpyHtoD_v2, memory, &value, (size_t)4));
    EXPECT(0, CALL(driver, cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    EXPECT(0, CALL(driver, cuMemcpyDtoH_v2, &value, memory, (size_t)4));
    EXPECT(0, CALL(driver, cuMemFree_v2, memory));
    EXPECT(0, CALL(driver, cuModuleUnload, module));
    return value;
}

static void *linked(const char *own_file)
{
    const char *options[] = {"-arch=sm_90"};
    Handle linker, dangling;
    size_t size;
    char log[4096];
    EXPECT(2, __nvJitLinkCreate_12_4(&linker, 0, NULL));
    EXPECT(10, __nvJitLinkCreate_12_4(NULL, 1, options));
    EXPECT(10, __nvJitLinkCreate_12_4(&linker, 1, NULL));
    EXPECT(0, __nvJitLinkCreate_12_4(&linker, 1, options));
    EXPECT(12, __nvJitLinkAddData_12_4(linker, 2, "rubbish", 7, "rubbish"));
    EXPECT(3, __nvJitLinkAddData_12_4(linker, 2, NULL, 7, "null"));
    EXPECT(3, __nvJitLinkAddData_12_4(linker, 2, kernel, (size_t)-1, "huge"));
    EXPECT(3, __nvJitLinkAddFile_12_4(linker, 1, "/no/such/file"));
    EXPECT(3, __nvJitLinkGetLinkedCubinSize_12_4(linker, &size));
    EXPECT(0, __nvJitLinkGetErrorLogSize_12_4(linker, &size));
    if (size < 8 || size > sizeof log) {
        exit(22);
    }
    EXPECT(0, __nvJitLinkGetErrorLog_12_4(linker, log));
    if (strstr(log, "rubbish") == NULL) {
        exit(23);
    }
    EXPECT(0, __nvJitLinkAddData_12_4(linker, 2, kernel, strlen(kernel), "kernel"));
    EXPECT(0, __nvJitLinkAddFile_12_4(linker, 1, own_file));
    EXPECT(0, __nvJitLinkComplete_12_4(linker));
    EXPECT(3, __nvJitLinkGetLinkedPtxSize_12_4(linker, &size));
    EXPECT(10, __nvJitLinkGetLinkedCubinSize_12_4(linker, NULL));
    EXPECT(0, __nvJitLinkGetLinkedCubinSize_12_4(linker, &size));
    char *cubin = malloc(size);
    EXPECT(0, __nvJitLinkGetLinkedCubin_12_4(linker, cubin));
    dangling = linker;
    EXPECT(0, __nvJitLinkDestroy_12_4(&linker));
    EXPECT(10, __nvJitLinkDestroy_12_4(&linker));
    EXPECT(3, __nvJitLinkDestroy_12_4(&dangling));
    EXPECT(3, __nvJitLinkComplete_12_4(dangling));
    return cubin;
}

/* What claims to be longer than it may be, or of another version, is refused by its header. */
static void hostile(const char *cubin)
{
    char header[64];
    Handle module;
    memcpy(header, cubin, sizeof header);
    memset(header + 8, 0xff, 8);
    EXPECT(200, CALL(driver, cuModuleLoadData, &module, header));
    memcpy(header, cubin, sizeof header);
    header[4] = 99;
    EXPECT(200, CALL(driver, cuModuleLoadData, &module, header));
}

static void compiled(void)
{
    void *nvrtc = dlopen("libnvrtc.so.12", RTLD_NOW);
    Handle program = NULL;
    int major = 0, minor = 0;
    const char *option = "-arch=sm_90";
    size_t size = 0;
    if (nvrtc == NULL) {
        exit(24);
    }
    if (CALL(nvrtc, nvrtcVersion, &major, &minor) != 0) {
        const char *words = ((const char *(*)(int))dlsym(nvrtc, "nvrtcGetErrorString"))(11);
        EXPECT(11, CALL(nvrtc, nvrtcGetCUBINSize, program, &size));
        printf("NVRTC: %s\n", words);
        return;
    }
    const char *source = "extern \"C\" __global__ void k(int *p) { *p = *p * 10 + 2; }";
    EXPECT(0, CALL(nvrtc, nvrtcCreateProgram, &program, source, "k.cu", 0, NULL, NULL));
    EXPECT(0, CALL(nvrtc, nvrtcCompileProgram, program, 1, &option));
    EXPECT(0, CALL(nvrtc, nvrtcGetCUBINSize, program, &size));
    char *cubin = malloc(size);
    EXPECT(0, CALL(nvrtc, nvrtcGetCUBIN, program, cubin));
    EXPECT(3, CALL(nvrtc, nvrtcGetCUBIN, program, NULL));
    EXPECT(0, CALL(nvrtc, nvrtcDestroyProgram, &program));
    printf("NVRTC %s: %d\n", major >= 12 ? "12 or later" : "?", ran(cubin));
}

int main(int argc, char **argv)
{
    char command[4096], path[4000];
    Handle context;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    EXPECT(0, CALL(driver, cuInit, 0));
    EXPECT(0, CALL(driver, cuCtxCreate_v2, &context, 0, 0));
    snprintf(path, sizeof path, "%s.ptx", argv[0]);
    FILE *file = fopen(path, "w");
    fputs(helper, file);
    fclose(file);
    snprintf(command, sizeof command, "ptxas -v -arch sm_90 --opt-level 3 -c '%s' -o '%s.cubin'", path, argv[0]);
    EXPECT(0, system(command));
    snprintf(path, sizeof path, "%s.cubin", argv[0]);
    char *cubin = linked(path);
    printf("nvJitLink and ptxas: %d\n", ran(cubin));
    hostile(cubin);
    compiled();
    return 0;
}
