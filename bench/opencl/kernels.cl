// The six workloads of `warpsim bench` as OpenCL: the same algorithms as cli/src/bench/workloads.ptx, kernel by kernel.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void find_max(__global const uint *in, __global uint *out, uint n) {
  uint largest = 0, step = get_local_size(0);
  for (uint i = get_local_id(0); i < n; i += step) {
    uint v = in[i];
    largest = v > largest ? v : largest;
  }
  atomic_max(out, largest);
}

__kernel void block_reduce(__global const uint *in, __global uint *out) {
  __local uint sums[256];
  uint t = get_local_id(0);
  sums[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 128; s > 0; s >>= 1) {
    if (t < s) sums[t] += sums[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = sums[0];
}

double wave(double x) {
  double g = 2.0 + x * (-1.0 + x * (0.5 - 0.2 * x));
  return sin(g) + 2.0 * cos(g);
}

__kernel void trapezoid(__global double *out, uint n) {
  __local double sums[256];
  uint t = get_local_id(0), i = get_global_id(0);
  double h = 2.0 / n, x = -1.0 + i * h;
  sums[t] = 0.5 * h * (wave(x) + wave(x + h));
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 128; s > 0; s >>= 1) {
    if (t < s) sums[t] += sums[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = sums[0];
}

__kernel void trapezoid_total(__global const double *in, __global double *out, uint n) {
  __local double sums[256];
  uint t = get_local_id(0);
  double sum = 0;
  for (uint i = t; i < n; i += 256) sum += in[i];
  sums[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 128; s > 0; s >>= 1) {
    if (t < s) sums[t] += sums[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[0] = sums[0];
}

__kernel void xorshift(__global uint *out, uint rounds) {
  uint x = get_global_id(0) * 2654435761u + 1u, acc = 0;
  for (uint i = 0; i < rounds; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    acc = acc * 1664525u + x;
  }
  out[get_global_id(0)] = acc;
}

__kernel void collatz(__global uint *out) {
  uint n = get_global_id(0) + 1, steps = 0;
  while (n != 1) {
    if (n & 1) n = 3 * n + 1;
    else n >>= 1;
    steps++;
  }
  out[get_global_id(0)] = steps;
}

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, uint n) {
  __local float tile_a[16][16], tile_b[16][16];
  uint tx = get_local_id(0), ty = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float acc = 0;
  for (uint t = 0; t < n; t += 16) {
    tile_a[ty][tx] = a[row * n + t + tx];
    tile_b[ty][tx] = b[(t + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; k++) acc = fma(tile_a[ty][k], tile_b[k][tx], acc);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = acc;
}
