// What the tests of variables run. `clang.ptx` is this, by clang 19 with -g -O0 for sm_80, and
// `nvrtc.ptx` by NVRTC 12.9 with --device-debug for compute_80. The values in the tests follow from
// this text: `a` has 4 * k in cell k, and `n` is 60.
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __attribute__((always_inline))
#define IDX(of) __nvvm_read_ptx_sreg_##of##_x()
#define BLOCK IDX(ctaid)
#define WIDTH IDX(ntid)
#define THREAD IDX(tid)
#define BARRIER __syncthreads()
#else
#define BLOCK blockIdx.x
#define WIDTH blockDim.x
#define THREAD threadIdx.x
#define BARRIER __syncthreads()
#endif

typedef unsigned int word;
enum Colour { RED, GREEN = 5, BLUE };
struct Point { short x; double y; };
struct Base { int id; };
struct Thing : Base {
  Point at;
  Point corners[2];
  unsigned low : 3;
  int high : 5;
  Thing *self;
};

__device__ int table[2][3] = {{1, 2, 3}, {4, 5, 6}};

__device__ __noinline__ int fold(const int *cells, int count) {
  int sum = 0;
  for (int k = 0; k < count; ++k) {
    int cell = cells[k];
    sum += cell;
  }
  return sum;
}

__device__ __forceinline__ int scaled(int value, int factor) {
  int product = value * factor;
  return product + 1;
}

extern "C" __global__ void k(const int *a, int n, Point shift, int *out) {
  __shared__ int cells[64];
  int i = BLOCK * WIDTH + THREAD;
  word squares[4];
  float half = i * 0.5f;
  bool odd = i % 2 == 1;
  char letter = 'a' + i % 26;
  long long wide = -5000000000LL - i;
  Colour colour = odd ? BLUE : RED;
  Thing thing;
  thing.id = i + 1;
  thing.at.x = -i;
  thing.at.y = i + shift.y;
  thing.corners[0] = shift;
  thing.corners[1] = thing.at;
  thing.low = i % 8;
  thing.high = -3;
  thing.self = &thing;
  int &alias = thing.id;
  for (int j = 0; j < 4; ++j) {
    squares[j] = j * j + i;
  }
  cells[THREAD] = i < n ? a[i] : 0;
  BARRIER;
  {
    double j = half + 0.25;
    alias += (int)j;
  }
  int t = fold(cells, THREAD);
  int u = scaled(t, 3);
  out[i] = u + squares[3] + alias + (int)thing.self->corners[1].x + (int)colour + letter + (int)wide +
           thing.low + thing.high + table[1][i % 3];
}
