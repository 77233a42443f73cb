// A program for scripts/check-reports.sh: it launches the racy kernel `scan8` of a PTX file through
// the driver API, which it finds by name as frameworks do.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Function)();

static void *library;

static Function named(const char *name) {
    Function function = (Function)dlsym(library, name);
    if (!function) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(2);
    }
    return function;
}

static void expect(int error, const char *what) {
    if (error) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(3);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return 2;
    void *context, *module, *function;
    unsigned long long from, to;
    int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    expect(named("cuInit")(0), "cuInit");
    expect(named("cuCtxCreate_v2")(&context, 0, 0), "cuCtxCreate");
    expect(named("cuModuleLoad")(&module, argv[1]), "cuModuleLoad");
    expect(named("cuModuleGetFunction")(&function, module, "scan8"), "cuModuleGetFunction");
    expect(named("cuMemAlloc_v2")(&from, sizeof numbers), "cuMemAlloc");
    expect(named("cuMemAlloc_v2")(&to, sizeof numbers), "cuMemAlloc");
    expect(named("cuMemcpyHtoD_v2")(from, numbers, sizeof numbers), "cuMemcpyHtoD");
    void *arguments[] = {&from, &to};
    expect(named("cuLaunchKernel")(function, 1, 1, 1, 8, 1, 1, 0, (void *)0, arguments, (void **)0),
           "cuLaunchKernel");
    expect(named("cuCtxSynchronize")(), "cuCtxSynchronize");
    expect(named("cuMemcpyDtoH_v2")(numbers, to, sizeof numbers), "cuMemcpyDtoH");
    printf("%d\n", numbers[7]);
    return 0;
}
