/* A program on the driver API that ends in the way that its argument says, often before its time. It knows nothing of warpsim;
   what it uses is declared here. */
#define _GNU_SOURCE
#include "loaded.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned long long CUdeviceptr;
typedef void *Handle;

static const char *kernels =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p)\n"
    "{ .reg .b64 %d<3>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
    "  st.global.u32 [%d1], %r1; ret; }\n"
    ".visible .entry race(.param .u64 p)\n"
    "{ .reg .b64 %d<2>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; st.global.u32 [%d1], %r1; ret; }\n"
    ".visible .entry busy(.param .u64 p)\n"
    "{ .reg .b64 %d<3>; .reg .pred %q;\n"
    "  ld.param.u64 %d1, [p]; mov.u64 %d2, 0;\n"
    "L: add.u64 %d2, %d2, 1; setp.lt.u64 %q, %d2, 0x1000000000000000; @%q bra L;\n"
    "  st.global.u64 [%d1], %d2; ret; }\n";
static const char *not_supported =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry wide(.param .u64 p) { wgmma.wait_group.sync.aligned 0; ret; }\n";

static Handle context, module;
static CUdeviceptr memory;

static void begin(void)
{
    int device;
    CHECK(cuInit, 0);
    CHECK(cuDeviceGet, &device, 0);
    CHECK(cuCtxCreate_v2, &context, 0, device);
    CHECK(cuModuleLoadData, &module, kernels);
    CHECK(cuMemAlloc_v2, &memory, (size_t)256);
}

static void launch(const char *name)
{
    Handle kernel;
    void *arguments[] = {&memory};
    CHECK(cuModuleGetFunction, &kernel, module, name);
    CHECK(cuLaunchKernel, kernel, 1u, 1u, 1u, 64u, 1u, 1u, 0u, (Handle)0, arguments, (void **)0);
}

static void run(const char *name)
{
    launch(name);
    CHECK(cuCtxSynchronize);
}

static void say(const char *what)
{
    puts(what);
    fflush(stdout);
}

static void *busy(void *unused)
{
    CHECK(cuCtxSetCurrent, context);
    run("busy");
    return unused;
}

static void leave(int signal)
{
    (void)signal;
    exit(0);
}

static void end_thread(void *text)
{
    say(text);
    pthread_exit(0);
}

/* A child that was forked before there was a driver has one of its own. */
static void child(const char *how)
{
    int status;
    if (fork() == 0) {
        begin();
        run("fill");
        if (!strcmp(how, "killed"))
            raise(SIGKILL);
        if (!strcmp(how, "left"))
            _exit(0);
        exit(0);
    }
    wait(&status);
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "well";
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 20;
    }
    if (!strcmp(how, "child")) {
        child(words[2]);
        begin();
        run("fill");
        return 0;
    }
    if (!strcmp(how, "early"))
        raise(SIGTERM);
    begin();
    if (!strcmp(how, "unsupported")) {
        Handle kernel, other;
        if (!CALL(cuModuleLoadData, &other, not_supported))
            CALL(cuModuleGetFunction, &kernel, other, "wide");
        run("fill");
        return count > 2 ? atoi(words[2]) : 0;
    }
    if (!strcmp(how, "full")) {
        /* No file may grow from here on, as on a full disk. */
        struct rlimit none = {0, 0};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        run("race");
        return 0;
    }
    if (!strcmp(how, "race-and-abort")) {
        launch("race");
        abort();
    }
    if (!strcmp(how, "callbacks")) {
        CHECK(cuLaunchHostFunc, (Handle)0, end_thread, (void *)"first");
        CHECK(cuLaunchHostFunc, (Handle)0, end_thread, (void *)"second");
        CHECK(cuLaunchHostFunc, (Handle)0, say, (void *)"third");
        CHECK(cuCtxSynchronize);
        say("synchronised");
        return 0;
    }
    run("fill");
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "crash"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "killed"))
        raise(SIGKILL);
    if (!strcmp(how, "left"))
        _exit(0);
    if (!strcmp(how, "replaced"))
        execlp("true", "true", (char *)0);
    if (!strcmp(how, "again"))
        execl(words[0], words[0], "well", (char *)0);
    if (!strcmp(how, "forked")) {
        int status;
        if (fork() == 0)
            exit(CALL(cuCtxSynchronize) == 3 ? 0 : 1);
        wait(&status);
        return status != 0;
    }
    if (!strcmp(how, "thread")) {
        pthread_t thread;
        pthread_create(&thread, 0, busy, 0);
        usleep(500000);
        exit(0);
    }
    if (!strcmp(how, "handler")) {
        signal(SIGTERM, leave);
        how = "busy";
    }
    if (!strcmp(how, "race-and-busy")) {
        run("race");
        how = "busy";
    }
    if (!strcmp(how, "busy")) {
        say("busy");
        run("busy");
    }
    return 0;
}
