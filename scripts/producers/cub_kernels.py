"""CUB's block-wide and warp-wide algorithms, compiled by NVRTC and run by warpsim.

Each case is the body of a kernel of one block of 128 threads, four items a thread where items are
arranged, and what NumPy says it leaves.
"""

import itertools

import numpy as np

import cuda_source
from launching import LaunchFailed, Output

OUT = Output("cub")

HEAD = """
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
struct Most { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };
struct Unlike { __device__ bool operator()(int a, int b) const { return a != b; } };
extern "C" __global__ void kernel(int *in, int *out) {
  int t = threadIdx.x;
"""

ITEMS = """
  int items[4];
  for (int i = 0; i < 4; i++) items[i] = in[4 * t + i];
"""
BACK = "  for (int i = 0; i < 4; i++) out[4 * t + i] = items[i];\n"


def collective(declared, use):
    """A collective with its temporary storage."""
    return f"  using C = {declared};\n  __shared__ typename C::TempStorage temp;\n  {use}\n"


def cases(x):
    n = x[:128]
    q = x.reshape(128, 4)
    for algorithm in ("RAKING", "RAKING_COMMUTATIVE_ONLY", "WARP_REDUCTIONS"):
        kind = f"cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_{algorithm}>"
        yield f"block_reduce_{algorithm.lower()}", collective(
            kind, "int s = C(temp).Sum(in[t]); if (t == 0) out[0] = s;"), {0: n.sum()}
    yield "block_reduce_max", collective("cub::BlockReduce<int, 128>",
        "int s = C(temp).Reduce(in[t], Most{}); if (t == 0) out[0] = s;"), {0: n.max()}
    yield "block_reduce_partial", collective("cub::BlockReduce<int, 128>",
        "int s = C(temp).Sum(in[t], 77); if (t == 0) out[0] = s;"), {0: n[:77].sum()}
    for algorithm in ("RAKING", "RAKING_MEMOIZE", "WARP_SCANS"):
        kind = f"cub::BlockScan<int, 128, cub::BLOCK_SCAN_{algorithm}>"
        yield f"block_scan_{algorithm.lower()}", collective(
            kind, "int s; C(temp).ExclusiveSum(in[t], s); out[t] = s;"), np.cumsum(n) - n
    yield "block_scan_items", ITEMS + collective("cub::BlockScan<int, 128>",
        "C(temp).InclusiveSum(items, items);") + BACK, np.cumsum(x)
    yield "block_scan_max", ITEMS + collective("cub::BlockScan<int, 128>",
        "C(temp).InclusiveScan(items, items, Most{});") + BACK, np.maximum.accumulate(x)
    yield "block_radix_sort", ITEMS + collective("cub::BlockRadixSort<int, 128, 4>",
        "C(temp).Sort(items);") + BACK, np.sort(x)
    yield "block_radix_sort_descending", ITEMS + collective("cub::BlockRadixSort<int, 128, 4>",
        "C(temp).SortDescending(items);") + BACK, -np.sort(-x)
    yield "block_radix_sort_pairs", ITEMS + collective("cub::BlockRadixSort<int, 128, 4, int>",
        "int keys[4]; for (int i = 0; i < 4; i++) { keys[i] = items[i] % 16; }\n"
        "  for (int i = 0; i < 4; i++) if (keys[i] < 0) keys[i] += 16;\n  C(temp).Sort(keys, items);") + BACK, \
        x[np.argsort(np.mod(x, 16), kind="stable")]
    yield "block_merge_sort", ITEMS + collective("cub::BlockMergeSort<int, 128, 4>",
        "C(temp).Sort(items, Less{});") + BACK, np.sort(x)
    for algorithm in ("ATOMIC", "SORT"):
        yield f"block_histogram_{algorithm.lower()}", \
            "  unsigned char items[4];\n  for (int i = 0; i < 4; i++) items[i] = in[4 * t + i] & 31;\n" \
            "  __shared__ unsigned counts[32];\n" + collective(
                f"cub::BlockHistogram<unsigned char, 128, 4, 32, cub::BLOCK_HISTO_{algorithm}>",
                "C(temp).Histogram(items, counts);\n  __syncthreads();\n  if (t < 32) out[t] = counts[t];"), \
            np.bincount(x & 31, minlength=32)
    for algorithm in ("DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE",
                      "WARP_TRANSPOSE_TIMESLICED"):
        want = x if algorithm != "STRIPED" else x.reshape(4, 128).T.reshape(-1)
        yield f"block_load_{algorithm.lower()}", "  int items[4];\n" + collective(
            f"cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_{algorithm}>", "C(temp).Load(in, items);") + BACK, want
        want = x if algorithm != "STRIPED" else q.T.reshape(-1)
        yield f"block_store_{algorithm.lower()}", ITEMS + collective(
            f"cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_{algorithm}>", "C(temp).Store(out, items);"), want
    yield "block_exchange_striped", ITEMS + collective("cub::BlockExchange<int, 128, 4>",
        "C(temp).BlockedToStriped(items, items);") + BACK, x.reshape(4, 128).T.reshape(-1)
    yield "block_exchange_blocked", ITEMS + collective("cub::BlockExchange<int, 128, 4>",
        "C(temp).StripedToBlocked(items, items);") + BACK, q.T.reshape(-1)
    yield "block_discontinuity", ITEMS + "  for (int i = 0; i < 4; i++) items[i] &= 1;\n" + collective(
        "cub::BlockDiscontinuity<int, 128>", "int heads[4]; C(temp).FlagHeads(heads, items, Unlike{});\n"
        "  for (int i = 0; i < 4; i++) items[i] = heads[i];") + BACK, \
        np.concatenate([[1], (np.diff(x & 1) != 0).astype(int)])
    yield "block_adjacent_difference", ITEMS + collective("cub::BlockAdjacentDifference<int, 128>",
        "C(temp).SubtractLeft(items, items, Minus{});") + BACK, np.concatenate([x[:1], np.diff(x)])
    yield "block_shuffle", collective("cub::BlockShuffle<int, 128>",
        "int s = -1; C(temp).Offset(in[t], s, -1); out[t] = s;"), np.concatenate([[-1], n[:-1]])
    warps = n.reshape(4, 32)
    yield "warp_reduce", "  using W = cub::WarpReduce<int>;\n  __shared__ typename W::TempStorage temp[4];\n" \
        "  int s = W(temp[t / 32]).Sum(in[t]);\n  if (t % 32 == 0) out[t / 32] = s;\n", warps.sum(1)
    yield "warp_reduce_8", "  using W = cub::WarpReduce<int, 8>;\n  __shared__ typename W::TempStorage temp[16];\n" \
        "  int s = W(temp[t / 8]).Sum(in[t]);\n  if (t % 8 == 0) out[t / 8] = s;\n", n.reshape(16, 8).sum(1)
    yield "warp_scan", "  using W = cub::WarpScan<int>;\n  __shared__ typename W::TempStorage temp[4];\n" \
        "  int s; W(temp[t / 32]).InclusiveSum(in[t], s);\n  out[t] = s;\n", warps.cumsum(1).reshape(-1)
    yield "warp_merge_sort", ITEMS + "  using W = cub::WarpMergeSort<int, 4, 32>;\n" \
        "  __shared__ typename W::TempStorage temp[4];\n  W(temp[t / 32]).Sort(items, Less{});\n" + BACK, \
        np.sort(x.reshape(4, 128), axis=1).reshape(-1)
    yield "warp_exchange", ITEMS + "  using W = cub::WarpExchange<int, 4, 32>;\n" \
        "  __shared__ typename W::TempStorage temp[4];\n  W(temp[t / 32]).BlockedToStriped(items, items);\n" + BACK, \
        np.concatenate([part.reshape(4, 32).T.reshape(-1) for part in x.reshape(4, 128)])


def main():
    x = np.random.default_rng(3).integers(-1000, 1000, 512).astype(np.int32)
    for (name, body, expected), architecture in OUT.in_time(itertools.product(cases(x), ("compute_80", "compute_90"))):
        OUT.begin(f"{name}.{architecture}")
        out = np.zeros(512, np.int32)
        try:
            ptx = cuda_source.compiled(HEAD + body + "}\n", f"{name}.cu", architecture)
            OUT.launch(ptx, "kernel", (1, 1, 1), (128, 1, 1), [x.copy(), out])
            want = np.array([expected[0]]) if isinstance(expected, dict) else np.asarray(expected)
            right = np.array_equal(out[:want.size], want)
            OUT.log(verdict="passed" if right else "failed", words="" if right else "differs")
        except LaunchFailed as error:
            OUT.log(verdict="refused", words=str(error))
        except RuntimeError as error:
            OUT.log(verdict="error", words=str(error)[:300].replace("\n", " "))


if __name__ == "__main__":
    main()
