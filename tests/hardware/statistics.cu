// Kernels whose requests to memory, bank conflicts, atomics, branches and barriers are counted on a
// GPU (scripts/ncu_kernels.py) and by warpsim (simulator/tests/suite/statistics_on_gpu.rs).
//
// Each thread makes few accesses that no compiler joins, splits or leaves out, so that the PTX and
// the machine code make the same ones. `a` holds 0, 1, 2, ... and `b` zeros: 65536 ints each.

#define KERNEL(name) extern "C" __global__ void name(int *a, int *b)

typedef long long wide;

__device__ static int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Global memory: 4 bytes a lane.
KERNEL(copy) { b[index()] = a[index()]; }
KERNEL(copy_shifted) { b[index()] = a[index() + 1]; }
KERNEL(load_stride_2) { b[index()] = a[2 * index()]; }
KERNEL(load_stride_32) { b[index()] = a[32 * index()]; }
KERNEL(store_stride_32) { b[32 * index()] = a[index()]; }
KERNEL(load_one) { b[index()] = a[blockIdx.x]; }
KERNEL(load_gathered) { b[index()] = a[index() * 37 % 1024]; }
KERNEL(half_a_warp) {
  if ((threadIdx.x & 31) < 16)
    b[index()] = a[index()];
}

// Global memory: other sizes.
KERNEL(copy_bytes) { ((char *)b)[index()] = ((char *)a)[index()]; }
KERNEL(copy_8) { ((wide *)b)[index()] = ((wide *)a)[index()]; }
KERNEL(load_one_8) { ((wide *)b)[index()] = ((wide *)a)[blockIdx.x]; }
KERNEL(copy_16) { ((int4 *)b)[index()] = ((int4 *)a)[index()]; }
KERNEL(load_16_stride_64) { ((int4 *)b)[index()] = ((int4 *)a)[4 * index()]; }

// Shared memory: each lane stores, and loads what another one stored.
template <typename T, int STRIDE> __device__ void exchange(int *a, int *b) {
  __shared__ T cells[32 * STRIDE];
  int lane = threadIdx.x;
  cells[lane * STRIDE] = ((T *)a)[index()];
  __syncthreads();
  ((T *)b)[index()] = cells[(lane ^ 5) * STRIDE];
}
KERNEL(shared_row) { exchange<int, 1>(a, b); }
KERNEL(shared_stride_2) { exchange<int, 2>(a, b); }
KERNEL(shared_column) { exchange<int, 32>(a, b); }
KERNEL(shared_padded) { exchange<int, 33>(a, b); }
KERNEL(shared_row_8) { exchange<wide, 1>(a, b); }
KERNEL(shared_column_8) { exchange<wide, 16>(a, b); }
KERNEL(shared_row_16) { exchange<int4, 1>(a, b); }
KERNEL(shared_column_16) { exchange<int4, 8>(a, b); }
KERNEL(shared_one) {
  __shared__ int cells[32];
  cells[threadIdx.x] = a[index()];
  __syncthreads();
  b[index()] = cells[blockIdx.x & 31];
}

// Atomics: of floats, which no compiler adds up in the warp first.
KERNEL(reduce_one) { atomicAdd((float *)b, (float)a[index()]); }
KERNEL(reduce_row) { atomicAdd((float *)b + index(), (float)a[index()]); }
KERNEL(atomic_eight) {
  b[1024 + index()] = (int)atomicAdd((float *)b + (index() & 7), (float)a[index()]);
}
KERNEL(shared_atomic_four) {
  __shared__ int cells[32];
  cells[threadIdx.x & 31] = a[index()];
  __syncthreads();
  b[index()] = atomicExch(cells + (threadIdx.x & 3), (int)threadIdx.x);
  __syncthreads();
  b[1024 + index()] = cells[threadIdx.x & 31];
}

// Branches and barriers. The trips are the same for all lanes, and not known to the compiler.
KERNEL(branch_parts_lanes) {
  int trips = a[3];
  int sum = threadIdx.x;
  if (threadIdx.x & 1) {
#pragma unroll 1
    for (int trip = 0; trip < trips; trip++)
      atomicAdd((float *)b, (float)trip);
  } else {
#pragma unroll 1
    for (int trip = 0; trip < trips; trip++)
      sum += a[sum & 1023];
  }
  b[1024 + index()] = sum;
}
KERNEL(branch_parts_warps) {
  int trips = a[3];
  int sum = threadIdx.x;
  if (threadIdx.x / 32 & 1) {
#pragma unroll 1
    for (int trip = 0; trip < trips; trip++)
      atomicAdd((float *)b, (float)trip);
  } else {
#pragma unroll 1
    for (int trip = 0; trip < trips; trip++)
      sum += a[sum & 1023];
  }
  b[1024 + index()] = sum;
}
KERNEL(barriers) {
  __shared__ int cells[256];
  int trips = a[4];
  cells[threadIdx.x] = a[index()];
#pragma unroll 1
  for (int trip = 0; trip < trips; trip++) {
    __syncthreads();
    int other = cells[(threadIdx.x + 32) & 255];
    __syncthreads();
    cells[threadIdx.x] = other;
  }
  b[index()] = cells[threadIdx.x];
}

// Floating-point arithmetic that no compiler fuses, splits or leaves out: three additions, two
// multiplications and a fused one a thread.
KERNEL(singles) {
  float x = ((float *)a)[index()];
  float y = __fadd_rn(x, 1.5f);
  y = __fmul_rn(y, x);
  y = __fsub_rn(y, x);
  y = __fmaf_rn(y, x, y);
  y = __fmul_rn(y, y);
  ((float *)b)[index()] = __fadd_rn(y, x);
}
KERNEL(doubles) {
  double x = ((double *)a)[index()];
  double y = __dadd_rn(x, 1.5);
  y = __dmul_rn(y, x);
  y = __dsub_rn(y, x);
  y = __fma_rn(y, x, y);
  y = __dmul_rn(y, y);
  ((double *)b)[index()] = __dadd_rn(y, x);
}
// Pairs of halves: a fused one and a multiplication.
KERNEL(pairs_of_halves) {
  int x = a[index()], y;
  asm volatile("fma.rn.f16x2 %0, %1, %1, %1;" : "=r"(y) : "r"(x));
  asm volatile("mul.rn.f16x2 %0, %1, %2;" : "=r"(y) : "r"(y), "r"(x));
  b[index()] = y;
}

#ifndef __CUDACC_RTC__
#include <cstdio>

static int *a, *b;

// The test reads these lines: a kernel, its blocks, and the threads of a block.
#define LAUNCH(name, blocks, threads)                                                              \
  name<<<blocks, threads>>>(a, b);                                                                 \
  if (cudaDeviceSynchronize() != cudaSuccess) {                                                    \
    fprintf(stderr, #name ": %s\n", cudaGetErrorString(cudaGetLastError()));                       \
    return 1;                                                                                      \
  }                                                                                                \
  cudaMemset(b, 0, 4 << 16);

int main() {
  static int cells[1 << 16];
  for (int i = 0; i < 1 << 16; i++)
    cells[i] = i;
  if (cudaMalloc(&a, sizeof cells) != cudaSuccess || cudaMalloc(&b, sizeof cells) != cudaSuccess)
    return 1;
  cudaMemcpy(a, cells, sizeof cells, cudaMemcpyHostToDevice);
  cudaMemset(b, 0, sizeof cells);
  LAUNCH(copy, 4, 128)
  LAUNCH(copy_shifted, 4, 128)
  LAUNCH(load_stride_2, 4, 128)
  LAUNCH(load_stride_32, 4, 128)
  LAUNCH(store_stride_32, 4, 128)
  LAUNCH(load_one, 4, 128)
  LAUNCH(load_gathered, 4, 128)
  LAUNCH(half_a_warp, 4, 128)
  LAUNCH(copy_bytes, 4, 128)
  LAUNCH(copy_8, 4, 128)
  LAUNCH(load_one_8, 4, 128)
  LAUNCH(copy_16, 4, 128)
  LAUNCH(load_16_stride_64, 4, 128)
  LAUNCH(shared_row, 4, 32)
  LAUNCH(shared_stride_2, 4, 32)
  LAUNCH(shared_column, 4, 32)
  LAUNCH(shared_padded, 4, 32)
  LAUNCH(shared_row_8, 4, 32)
  LAUNCH(shared_column_8, 4, 32)
  LAUNCH(shared_row_16, 4, 32)
  LAUNCH(shared_column_16, 4, 32)
  LAUNCH(shared_one, 4, 32)
  LAUNCH(reduce_one, 4, 128)
  LAUNCH(reduce_row, 4, 128)
  LAUNCH(atomic_eight, 4, 128)
  LAUNCH(shared_atomic_four, 4, 32)
  LAUNCH(branch_parts_lanes, 4, 128)
  LAUNCH(branch_parts_warps, 4, 128)
  LAUNCH(barriers, 4, 256)
  LAUNCH(singles, 4, 100)
  LAUNCH(doubles, 4, 128)
  LAUNCH(pairs_of_halves, 4, 128)
  return 0;
}
#endif
