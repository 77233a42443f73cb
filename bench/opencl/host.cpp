// host KERNELS.cl WORKLOAD REPETITIONS SIZE
//
// Runs a workload of `warpsim bench` on the first OpenCL device, with the same input, checks each result against a computation on
// the host, and prints one line of JSON. The first launch, in which PoCL compiles the kernel, is not among the times; nor are
// input and check. Exit code 1 for a wrong result or an error of OpenCL.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

using std::string;
using std::vector;

static void fail(const char *what, long code) {
  fprintf(stderr, "%s: %ld\n", what, code);
  exit(1);
}
#define CHECK(call) do { cl_int e_ = (call); if (e_ != CL_SUCCESS) fail(#call, e_); } while (0)

static double on_the_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static double of_the_processor() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

struct Device {
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  string name;

  explicit Device(const char *kernels) {
    cl_platform_id platform;
    cl_int e;
    char text[512] = "";
    CHECK(clGetPlatformIDs(1, &platform, nullptr));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr));
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, nullptr));
    name = text;
    CHECK(clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof text, text, nullptr));
    name += string(", ") + text;
    context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &e);
    CHECK(e);
    queue = clCreateCommandQueue(context, id, 0, &e);
    CHECK(e);
    std::ifstream file(kernels);
    std::stringstream stream;
    stream << file.rdbuf();
    string source = stream.str();
    const char *pointer = source.c_str();
    program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &e);
    CHECK(e);
    CHECK(clBuildProgram(program, 1, &id, "", nullptr, nullptr));
  }
  template <class T> cl_mem upload(vector<T> &values) {
    cl_int e;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T), values.data(), &e);
    CHECK(e);
    return memory;
  }
  template <class T> void write(cl_mem memory, vector<T> &values) {
    CHECK(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, values.size() * sizeof(T), values.data(), 0, nullptr, nullptr));
  }
  template <class T> void read(cl_mem memory, vector<T> &values) {
    CHECK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, values.size() * sizeof(T), values.data(), 0, nullptr, nullptr));
  }
};

struct Launch {
  cl_kernel kernel;
  cl_uint dimensions;
  size_t global[2], local[2];
};

template <class... A> static Launch launch(Device &device, const char *name, cl_uint dimensions, size_t global, size_t local, A... arguments) {
  cl_int e;
  cl_kernel kernel = clCreateKernel(device.program, name, &e);
  CHECK(e);
  cl_uint index = 0;
  auto set = [&](size_t size, const void *value) { CHECK(clSetKernelArg(kernel, index++, size, value)); };
  (set(sizeof arguments, &arguments), ...);
  return {kernel, dimensions, {global, global}, {local, local}};
}

struct Job {
  vector<Launch> launches;
  std::function<void()> clear;   // zeroes the result
  std::function<bool()> check;
};

// A result of values that are compared one by one.
template <class T> static void compare(Device &device, Job &job, cl_mem memory, vector<T> expected) {
  size_t size = expected.size();
  job.clear = [&device, memory, size] { vector<T> zeros(size); device.write(memory, zeros); };
  job.check = [&device, memory, expected] { vector<T> got(expected.size()); device.read(memory, got); return got == expected; };
}

static Job prepare(Device &device, const string &name, size_t size) {
  Job job;
  cl_uint n = size;
  uint32_t s;
  auto next = [&s] { return s = s * 1664525u + 1013904223u; };
  auto words = [&device](size_t length) { vector<uint32_t> zeros(length); return device.upload(zeros); };
  if (name == "find_max") {
    vector<uint32_t> in(size), expected{0};
    s = 12345;
    for (auto &v : in) v = next() >> 1;
    in[size / 3] = 0xfffffff0u;
    for (auto v : in) expected[0] = std::max(expected[0], v);
    cl_mem from = device.upload(in), to = words(1);
    job.launches = {launch(device, "find_max", 1, 256, 256, from, to, n)};
    compare(device, job, to, expected);
  } else if (name == "block_reduce") {
    vector<uint32_t> in(size * 256), expected(size);
    s = 1;
    for (size_t i = 0; i < in.size(); i++) expected[i / 256] += in[i] = next() >> 20;
    cl_mem from = device.upload(in), to = words(size);
    job.launches = {launch(device, "block_reduce", 1, size * 256, 256, from, to)};
    compare(device, job, to, expected);
  } else if (name == "trapezoid") {
    vector<double> partial(size / 256), total(1);
    cl_mem parts = device.upload(partial), to = device.upload(total);
    cl_uint blocks = size / 256;
    auto wave = [](double x) { double g = 2.0 + x * (-1.0 + x * (0.5 - 0.2 * x)); return sin(g) + 2.0 * cos(g); };
    double h = 2.0 / size, integral = 0;
    for (size_t i = 0; i < size; i++) integral += 0.5 * h * (wave(-1.0 + i * h) + wave(-1.0 + (i + 1) * h));
    job.launches = {launch(device, "trapezoid", 1, size, 256, parts, n), launch(device, "trapezoid_total", 1, 256, 256, parts, to, blocks)};
    job.clear = [&device, to] { vector<double> zero(1); device.write(to, zero); };
    job.check = [&device, to, integral] { vector<double> got(1); device.read(to, got); return std::fabs(got[0] - integral) < 1e-11; };
  } else if (name == "xorshift") {
    vector<uint32_t> expected(65536);
    for (uint32_t t = 0; t < expected.size(); t++) {
      uint32_t x = t * 2654435761u + 1u, acc = 0;
      for (size_t i = 0; i < size; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; acc = acc * 1664525u + x; }
      expected[t] = acc;
    }
    cl_mem to = words(expected.size());
    job.launches = {launch(device, "xorshift", 1, expected.size(), 256, to, n)};
    compare(device, job, to, expected);
  } else if (name == "collatz") {
    vector<uint32_t> expected(size);
    for (size_t t = 0; t < size; t++)
      for (uint64_t v = t + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) expected[t]++;
    cl_mem to = words(size);
    job.launches = {launch(device, "collatz", 1, size, 256, to)};
    compare(device, job, to, expected);
  } else if (name == "matmul") {
    // Halves and quarters: every sum is exact, so that the order of additions does not show.
    vector<float> a(size * size), b(size * size), expected(size * size), zeros(size * size);
    for (size_t i = 0; i < size * size; i++) { a[i] = (i % 13) * 0.5f - 3; b[i] = (i % 7) * 0.25f - 1; }
    for (size_t i = 0; i < size; i++)
      for (size_t k = 0; k < size; k++)
        for (size_t j = 0; j < size; j++) expected[i * size + j] += a[i * size + k] * b[k * size + j];
    cl_mem left = device.upload(a), right = device.upload(b), to = device.upload(zeros);
    job.launches = {launch(device, "matmul", 2, size, 16, left, right, to, n)};
    compare(device, job, to, expected);
  } else {
    fprintf(stderr, "there is no workload %s\n", name.c_str());
    exit(2);
  }
  return job;
}

static string list(const vector<double> &values) {
  string text;
  for (double v : values) text += (text.empty() ? "" : ", ") + std::to_string(v);
  return "[" + text + "]";
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: host KERNELS.cl WORKLOAD REPETITIONS SIZE\n");
    return 2;
  }
  Device device(arguments[1]);
  Job job = prepare(device, arguments[2], strtoull(arguments[4], nullptr, 0));
  vector<double> seconds, processor;
  bool right = true;
  for (int repetition = -1; repetition < atoi(arguments[3]); repetition++) {
    job.clear();
    double clock = on_the_clock(), cpu = of_the_processor();
    for (Launch &l : job.launches) {
      CHECK(clEnqueueNDRangeKernel(device.queue, l.kernel, l.dimensions, nullptr, l.global, l.local, 0, nullptr, nullptr));
      CHECK(clFinish(device.queue));
    }
    if (repetition >= 0) {
      processor.push_back(of_the_processor() - cpu);
      seconds.push_back(on_the_clock() - clock);
    }
    right = right && job.check();
  }
  printf("{\"device\": \"%s\", \"seconds\": %s, \"cpu_seconds\": %s, \"check\": \"%s\"}\n", device.name.c_str(), list(seconds).c_str(),
         list(processor).c_str(), right ? "ok" : "wrong");
  return right ? 0 : 1;
}
