// A program gives the headers of cooperative groups to NVRTC, from the folder HEADERS, and runs
// what comes of it. The host computes the same by lists of threads.
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <cstdio>
#include <string>

static const char *source = R"(
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct Wide { int words[5]; };

extern "C" __global__ void groups(const int *in, int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(block);
    auto two_warps = cg::tiled_partition<64>(block);
    int rank = block.thread_rank(), v = in[rank], *mine = out + 8 * rank;
    mine[0] = cg::reduce(eight, v, cg::plus<int>());
    mine[1] = cg::inclusive_scan(warp, v);
    mine[2] = cg::reduce(two_warps, v, cg::less<int>());
    auto same = cg::labeled_partition(warp, v % 3);
    mine[3] = 100 * same.meta_group_rank() + same.thread_rank();
    Wide wide = {{v, v + 1, v + 2, v + 3, v + 4}};
    mine[4] = warp.shfl_xor(wide, 5).words[4];
    mine[5] = -1;
    if (v % 2 == 1) {
        cg::coalesced_group odd = cg::coalesced_threads();
        mine[5] = odd.shfl(v, odd.size() - 1);
    }
    __shared__ int copy[64];
    cg::memcpy_async(block, copy, in, sizeof copy);
    cg::wait(block);
    mine[6] = copy[63 - rank];
    mine[7] = warp.ballot(v > 50) == __ballot_sync(0xffffffff, v > 50);
}
)";

static int wrong = 0;
static void expect(const char *what, int thread, int wanted, int got) {
    if (wanted == got) return;
    printf("%s of thread %d: %d, not %d\n", what, thread, got, wanted);
    wrong += 1;
}

static void compare(const int *in, const int *out) {
    for (int t = 0; t < 64; ++t) {
        const int *got = out + 8 * t;
        int first = t / 32 * 32, sum = 0, up_to = 0, least = in[0], rank = 0, part = 0, odd = -1;
        for (int i = t / 8 * 8; i < t / 8 * 8 + 8; ++i) sum += in[i];
        for (int i = first; i <= t; ++i) up_to += in[i];
        for (int i = 0; i < 64; ++i) least = in[i] < least ? in[i] : least;
        for (int i = first; i < t; ++i) rank += in[i] % 3 == in[t] % 3;
        // Parts are in the order of their first threads: a part is behind those that begin before.
        bool seen[3] = {};
        for (int i = first; in[i] % 3 != in[t] % 3; ++i) {
            part += !seen[in[i] % 3];
            seen[in[i] % 3] = true;
        }
        for (int i = first; i < first + 32; ++i) odd = in[i] % 2 == 1 ? in[i] : odd;
        expect("sum", t, sum, got[0]);
        expect("scan", t, up_to, got[1]);
        expect("least", t, least, got[2]);
        expect("part", t, 100 * part + rank, got[3]);
        expect("shuffle", t, in[t ^ 5] + 4, got[4]);
        expect("odd", t, in[t] % 2 == 1 ? odd : -1, got[5]);
        expect("copy", t, in[63 - t], got[6]);
        expect("ballot", t, 1, got[7]);
    }
}

template <class F> static F *named(void *library, const char *name, F *) {
    return (F *)dlsym(library, name);
}
#define NVRTC(name) named(library, #name, name)

static std::string compiled(void *library) {
    nvrtcProgram program;
    const char *options[] = {"--gpu-architecture=compute_80", "--include-path=" HEADERS};
    size_t size = 0;
    NVRTC(nvrtcCreateProgram)(&program, source, "groups.cu", 0, nullptr, nullptr);
    nvrtcResult result = NVRTC(nvrtcCompileProgram)(program, 2, options);
    NVRTC(nvrtcGetProgramLogSize)(program, &size);
    std::string text(size, 0);
    NVRTC(nvrtcGetProgramLog)(program, &text[0]);
    printf("%s", text.c_str());
    if (result != NVRTC_SUCCESS) return "";
    NVRTC(nvrtcGetPTXSize)(program, &size);
    text.assign(size, 0);
    NVRTC(nvrtcGetPTX)(program, &text[0]);
    NVRTC(nvrtcDestroyProgram)(&program);
    return text;
}

int main() {
    void *library = dlopen("libnvrtc.so.12", RTLD_NOW);
    int major = 0, minor = 0;
    if (library == nullptr || NVRTC(nvrtcVersion)(&major, &minor) != NVRTC_SUCCESS) {
        printf("NVRTC is not installed\n");
        return 0;
    }
    std::string text = compiled(library);
    int in[64], out[512] = {};
    for (int i = 0; i < 64; ++i) in[i] = i * i * 7 % 101;
    int *from, *to;
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    CUmodule module;
    CUfunction function;
    void *arguments[] = {&from, &to};
    if (text.empty() || cuModuleLoadData(&module, text.c_str()) != CUDA_SUCCESS) return 1;
    cuModuleGetFunction(&function, module, "groups");
    cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    compare(in, out);
    if (wrong == 0) printf("groups are right\n");
    return wrong != 0;
}
