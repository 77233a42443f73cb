// Random numbers as PyTorch's CUDA kernels draw them: the same seed gives the numbers of a GPU.
//
// It follows `ATen/native/cuda/DistributionTemplates.h` in what is drawn where: a grid of blocks of
// 256 threads, at most as many as fit on the device; each thread has the Philox 4x32-10 sequence of
// its number (Salmon et al., 2011; cuRAND Library Guide, "Philox"), and gives four numbers, or two,
// to elements that lie a grid apart. The state of the CUDA generator goes on as on a GPU.
//
// Where it deviates: uniform numbers and whole ones are those of a GPU, bit for bit. Normal ones
// are as near as the CPU's logarithm and sine are to a GPU's approximations (about 1e-6). What is
// not here draws from the CPU's generator.
#pragma once

#include <ATen/ExpandUtils.h>
#include <ATen/native/DistributionTemplates.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>

#include <cmath>
#include <functional>
#include <limits>

namespace {

using at::Tensor;
using OptionalGenerator = std::optional<at::Generator>;

// Multiprocessors, and blocks of 256 threads on each: of the device that `exec` shows by default.
constexpr uint64_t BLOCK = 256;

uint64_t blocks_at_once() {
  static const uint64_t count = [] {
    int (*attribute)(int*, int, int) = nullptr;
    look_up(attribute, "cuDeviceGetAttribute");
    constexpr int MULTIPROCESSORS = 16, THREADS_PER_MULTIPROCESSOR = 39;
    int multiprocessors = 0, threads = 0;
    attribute(&multiprocessors, MULTIPROCESSORS, 0);
    attribute(&threads, THREADS_PER_MULTIPROCESSOR, 0);
    return static_cast<uint64_t>(multiprocessors) * (threads / BLOCK);
  }();
  return count;
}

struct Four {
  uint32_t at[4];
};

// Philox 4x32 in ten rounds.
Four philox(uint64_t seed, uint64_t sequence, uint64_t counter) {
  uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  uint32_t c[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                   static_cast<uint32_t>(sequence), static_cast<uint32_t>(sequence >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t low = 0xD2511F53ull * c[0], high = 0xCD9E8D57ull * c[2];
    uint32_t next[4] = {static_cast<uint32_t>(high >> 32) ^ c[1] ^ key[0],
                        static_cast<uint32_t>(high),
                        static_cast<uint32_t>(low >> 32) ^ c[3] ^ key[1],
                        static_cast<uint32_t>(low)};
    std::copy(next, next + 4, c);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return {{c[0], c[1], c[2], c[3]}};
}

// What a generator stands at, before it goes on by so many calls of four.
std::pair<uint64_t, uint64_t> take(const OptionalGenerator& asked, Device device, uint64_t calls) {
  at::Generator of = asked.has_value() && asked->defined()
      ? *asked : at::globalContext().defaultGenerator(draws ? draws->device : device);
  TORCH_CHECK(of.device().is_cuda(), "Expected a 'cuda' device type for generator but found '",
              of.device().type(), "'");
  std::lock_guard<std::mutex> lock(of.mutex());
  if (draws) return draws->take(of, calls);
  uint64_t seed = of.current_seed(), offset = of.get_offset();
  of.set_offset(offset + 4 * calls);
  return {seed, offset / 4};
}

// Draws for so many elements: `value` makes one of the four words and its place among the `N`
// values of a call; `store` takes an element and its value.
template <int N, typename Value, typename Store>
void draw(uint64_t count, const OptionalGenerator& asked, Device device, Value value, Store store) {
  if (count == 0) return;
  uint64_t threads = std::min(blocks_at_once(), (count + BLOCK - 1) / BLOCK) * BLOCK;
  uint64_t calls = (count - 1) / (threads * N) + 1;
  auto [seed, first] = take(asked, device, calls);
  for (uint64_t call = 0; call < calls; ++call) {
    for (uint64_t thread = 0; thread < threads; ++thread) {
      uint64_t element = call * threads * N + thread;
      if (element >= count) break;
      Four words = philox(seed, thread, first + call);
      for (int i = 0; i < N; ++i)
        if (element + i * threads < count) store(element + i * threads, value(words, i));
    }
  }
}

constexpr float INVERSE = 2.3283064e-10f;          // 2^-32
constexpr double INVERSE_53 = 1.1102230246251565e-16;  // 2^-53

// In (0, 1].
float uniform(uint32_t word) {
  return std::fmaf(static_cast<float>(word), INVERSE, INVERSE / 2);
}

double uniform_of(uint32_t low, uint32_t high) {
  uint64_t bits = low ^ (static_cast<uint64_t>(high) << 21);
  return std::fma(static_cast<double>(bits), INVERSE_53, INVERSE_53 / 2);
}

double uniform_double(const Four& words, int i) {
  return uniform_of(words.at[2 * i], words.at[2 * i + 1]);
}

// Of the polar method, on the words of a pair.
float normal_float(const Four& words, int i) {
  constexpr float TURN = 2.3283064e-10f * 6.2831855f;
  float radius = std::sqrt(-2.0f * std::log(uniform(words.at[i & 2])));
  float angle = std::fmaf(static_cast<float>(words.at[(i & 2) + 1]), TURN, TURN / 2);
  return radius * ((i & 1) == 0 ? std::sin(angle) : std::cos(angle));
}

double normal_double(const Four& words, int i) {
  double radius = std::sqrt(-2.0 * std::log(uniform_of(words.at[0], words.at[1])));
  uint64_t bits = words.at[2] ^ (static_cast<uint64_t>(words.at[3]) << 21);
  double half_turns = std::fma(static_cast<double>(bits), 2 * INVERSE_53, INVERSE_53);
  double angle = half_turns * 3.14159265358979323846;
  return radius * (i == 0 ? std::sin(angle) : std::cos(angle));
}

uint64_t wide(const Four& words, int i) {
  return static_cast<uint64_t>(words.at[2 * i]) << 32 | words.at[2 * i + 1];
}

// A tensor of the CPU for the elements of one of the device, which takes them over.
template <typename T>
struct Filled {
  Tensor& to;
  Tensor host;
  T* data;
  explicit Filled(Tensor& to)
      : to(to),
        host(at::empty({to.numel()},
                       at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value))),
        data(host.mutable_data_ptr<T>()) {}
  void operator()(uint64_t element, T value) { data[element] = value; }
  ~Filled() noexcept(false) {
    if (!std::uncaught_exceptions()) to.copy_(host.view(to.sizes()));
  }
};

// Floats of a distribution: in double where the tensor is, else in float.
template <typename OfFloat, typename OfDouble>
Tensor& floats(Tensor& self, const OptionalGenerator& gen, OfFloat of_float, OfDouble of_double) {
  if (self.scalar_type() == at::kDouble) {
    Filled<double> fill(self);
    draw<2>(self.numel(), gen, self.device(), of_double, std::ref(fill));
  } else {
    Filled<float> fill(self);
    draw<4>(self.numel(), gen, self.device(), of_float, std::ref(fill));
  }
  return self;
}

// A value is rounded to the tensor's type before its bound is looked at.
float rounded(float value, at::ScalarType type) {
  if (type == at::kHalf) return static_cast<c10::Half>(value);
  if (type == at::kBFloat16) return static_cast<c10::BFloat16>(value);
  return value;
}

// Refuses bounds that the type has not, and types without fractions, of empty tensors, too.
void hold_uniform_bounds(at::ScalarType type, double from, double to) {
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, type, "check_uniform_bounds", [&] {
    const double greatest = std::numeric_limits<scalar_t>::max();
    TORCH_CHECK(-greatest <= from && from <= greatest, "from is out of bounds for ", type);
    TORCH_CHECK(-greatest <= to && to <= greatest, "to is out of bounds for ", type);
    TORCH_CHECK(to - from <= greatest, "uniform_ expects to-from <= std::numeric_limits<", type,
                ">::max(), but found to=", to, " and from=", from,
                " which result in to-from to exceed the limit");
  });
}

Tensor& uniform_(Tensor& self, double from, double to, OptionalGenerator gen) {
  auto type = self.scalar_type();
  hold_uniform_bounds(c10::toRealValueType(type), from, to);
  TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
              " > to=", to);
  float first = from, end = rounded(to, type), range = static_cast<float>(to) - first;
  auto of_float = [=](const Four& words, int i) {
    float value = rounded(std::fmaf(uniform(words.at[i]), range, first), type);
    return value == end ? first : value;
  };
  auto of_double = [=](const Four& words, int i) {
    double value = std::fma(uniform_double(words, i), to - from, from);
    return value == to ? from : value;
  };
  return floats(self, gen, of_float, of_double);
}

Tensor& normal_(Tensor& self, double mean, double std, OptionalGenerator gen) {
  TORCH_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", std);
  if (self.is_complex()) {
    auto real = at::view_as_real(self);
    normal_(real, mean, std / std::sqrt(2.0), gen);
    return self;
  }
  float m = mean, s = std;
  return floats(
      self, gen, [=](const Four& w, int i) { return std::fmaf(normal_float(w, i), s, m); },
      [=](const Four& w, int i) { return std::fma(normal_double(w, i), std, mean); });
}

// Normal numbers whose means or deviations are a tensor's (`ATen/native/DistributionTemplates.h`).
void hold_deviations(const Tensor& std) {
  TORCH_CHECK(!std.is_complex(), "normal expects standard deviation to be non-complex");
  TORCH_CHECK(!draws, "warpsim: normal waits for its standard deviations, and cannot be captured in "
              "a CUDA graph");
  TORCH_CHECK(std.numel() == 0 || std.min().ge(0).item<bool>(),
              "normal expects all elements of std >= 0.0");
}

Tensor& normal_of_mean(const Tensor& mean, double std, OptionalGenerator gen, Tensor& out) {
  at::native::resize_output(out, mean.sizes());
  normal_(out, 0, std, gen);
  return out.add_(mean);
}

Tensor& normal_of_deviation(double mean, const Tensor& std, OptionalGenerator gen, Tensor& out) {
  hold_deviations(std);
  at::native::resize_output(out, std.sizes());
  normal_(out, 0, 1, gen);
  return out.mul_(std).add_(mean);
}

Tensor& normal_of_both(const Tensor& mean, const Tensor& std, OptionalGenerator gen, Tensor& out) {
  hold_deviations(std);
  at::native::resize_output(out, at::infer_size(mean.sizes(), std.sizes()));
  normal_(out, 0, 1, gen);
  return out.mul_(std).add_(mean);
}

Tensor normal_with_mean(const Tensor& mean, double std, OptionalGenerator gen) {
  auto out = at::empty_like(mean, at::MemoryFormat::Contiguous);
  return normal_of_mean(mean, std, gen, out);
}

Tensor normal_with_deviation(double mean, const Tensor& std, OptionalGenerator gen) {
  auto out = at::empty_like(std, at::MemoryFormat::Contiguous);
  return normal_of_deviation(mean, std, gen, out);
}

Tensor normal_with_both(const Tensor& mean, const Tensor& std, OptionalGenerator gen) {
  auto out = at::empty(at::infer_size(mean.sizes(), std.sizes()), mean.options());
  return normal_of_both(mean, std, gen, out);
}

Tensor& log_normal_(Tensor& self, double mean, double std, OptionalGenerator gen) {
  TORCH_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std=", std);
  float m = mean, s = std;
  return floats(
      self, gen,
      [=](const Four& w, int i) { return std::exp(std::fmaf(normal_float(w, i), s, m)); },
      [=](const Four& w, int i) { return std::exp(std::fma(normal_double(w, i), std, mean)); });
}

// Minus the logarithm, without zero.
template <typename T>
T minus_log(T value) {
  T epsilon = std::numeric_limits<T>::epsilon() / 2;
  return value >= 1 - epsilon ? epsilon : -std::log(value);
}

Tensor& exponential_(Tensor& self, double lambda, OptionalGenerator gen) {
  TORCH_CHECK(lambda > 0.0, "exponential_ expects lambda > 0.0, but found lambda=", lambda);
  float inverse = 1 / static_cast<float>(lambda);
  return floats(
      self, gen,
      [=](const Four& w, int i) { return inverse * minus_log(uniform(w.at[i])); },
      [=](const Four& w, int i) { return 1 / lambda * minus_log(uniform_double(w, i)); });
}

template <typename T>
T cauchy(T value, T median, T sigma) {
  constexpr T EPSILON = std::numeric_limits<T>::epsilon();
  value = std::max(std::min(value, 1 - EPSILON), EPSILON);
  return median + sigma * std::tan(static_cast<T>(3.14159265358979323846) * (value - T(0.5)));
}

Tensor& cauchy_(Tensor& self, double median, double sigma, OptionalGenerator gen) {
  TORCH_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
  return floats(
      self, gen,
      [=](const Four& w, int i) { return cauchy<float>(uniform(w.at[i]), median, sigma); },
      [=](const Four& w, int i) { return cauchy<double>(uniform_double(w, i), median, sigma); });
}

Tensor& geometric_(Tensor& self, double p, OptionalGenerator gen) {
  TORCH_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
  float of_float = std::log(1.0f - static_cast<float>(p));
  return floats(
      self, gen,
      [=](const Four& w, int i) { return std::ceil(std::log(uniform(w.at[i])) / of_float); },
      [=](const Four& w, int i) {
        return std::ceil(std::log(uniform_double(w, i)) / std::log(1.0 - p));
      });
}

// Whole numbers below a range, from a base on.
template <typename T>
void whole(Tensor& self, uint64_t range, int64_t base, bool is_wide, const OptionalGenerator& gen) {
  Filled<T> fill(self);
  auto in_range = [=](uint64_t bits) {
    return static_cast<T>(static_cast<int64_t>((range ? bits % range : bits) + base));
  };
  auto device = self.device();
  if (is_wide)
    draw<2>(self.numel(), gen, device,
            [=](const Four& w, int i) { return in_range(wide(w, i)); }, std::ref(fill));
  else
    draw<4>(self.numel(), gen, device,
            [=](const Four& w, int i) { return in_range(w.at[i]); }, std::ref(fill));
}

// The types have the same bits whether they are drawn as 64-bit numbers or as their own; floats
// hold whole numbers exactly up to their precision.
Tensor& whole_of(Tensor& self, uint64_t range, int64_t base, bool is_wide,
                 const OptionalGenerator& gen) {
  if (at::isFloatingType(self.scalar_type()))
    whole<double>(self, range, base, is_wide, gen);
  else
    whole<int64_t>(self, range, base, is_wide, gen);
  return self;
}

// From where on two words are drawn for a number (PyTorch 2.7; 2^32 before).
constexpr uint64_t WIDE_RANGE = 1ull << 28;

// Rounds the bounds to numbers that a floating-point type has, and refuses those that the type has
// not, by the rules of PyTorch's own header.
void hold_in_type(const Tensor& self, int64_t& from, int64_t& to) {
  if (at::isFloatingType(self.scalar_type())) {
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, self.scalar_type(), "random_", [&] {
      from = at::native::templates::update_from<scalar_t>(from);
      to = at::native::templates::update_to<scalar_t>(to);
      TORCH_CHECK(from < to, "random_ expects 'from' casted to dtype to be less than 'to' casted "
                  "to dtype, but got from=", from, " >= to=", to);
    });
  }
  at::native::templates::check_from_to_in_range(from, to - 1, self.dtype());
}

// The greatest whole number that a type holds together with all below it.
int64_t greatest_whole(const Tensor& self) {
  int64_t greatest = 0;
  if (at::isFloatingType(self.scalar_type())) {
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, self.scalar_type(), "random_", [&] {
      greatest = static_cast<int64_t>(1) << std::numeric_limits<scalar_t>::digits;
    });
  } else {
    AT_DISPATCH_V2(self.scalar_type(), "random_", AT_WRAP([&] {
      constexpr uint64_t most = static_cast<uint64_t>(std::numeric_limits<scalar_t>::max());
      greatest = static_cast<int64_t>(std::min<uint64_t>(most, INT64_MAX));
    }), AT_EXPAND(AT_INTEGRAL_TYPES), at::kUInt16, at::kUInt32, at::kUInt64, at::kBool);
  }
  return greatest;
}

Tensor& random_from_(Tensor& self, int64_t from, std::optional<int64_t> to,
                     OptionalGenerator gen) {
  if (to.has_value()) {
    int64_t end = *to;
    TORCH_CHECK(from < end, "random_ expects 'from' to be less than 'to', but got from=", from,
                " >= to=", end);
    hold_in_type(self, from, end);
    uint64_t range = static_cast<uint64_t>(end) - static_cast<uint64_t>(from);
    return whole_of(self, range, from, range >= WIDE_RANGE, gen);
  }
  if (from == std::numeric_limits<int64_t>::lowest()) return whole_of(self, 0, 0, true, gen);
  int64_t last = greatest_whole(self);
  if (at::isFloatingType(self.scalar_type())) {
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, self.scalar_type(), "random_", [&] {
      from = at::native::templates::update_from<scalar_t>(from);
    });
    TORCH_CHECK(from < last, "random_ expects 'from' casted to dtype to be less than or equal to "
                "'to_inc' casted to dtype, but got from=", from, " > to_inc=", last);
  }
  at::native::templates::check_from_to_in_range(from, last, self.dtype());
  uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  return whole_of(self, range, from, range >= WIDE_RANGE, gen);
}

Tensor& random_to_(Tensor& self, int64_t to, OptionalGenerator gen) {
  return random_from_(self, 0, to, gen);
}

Tensor& random_(Tensor& self, OptionalGenerator gen) {
  switch (self.scalar_type()) {
    case at::kBool: return whole_of(self, 2, 0, false, gen);
    case at::kByte: return whole_of(self, 256, 0, false, gen);
    case at::kChar: return whole_of(self, 128, 0, false, gen);
    case at::kShort: return whole_of(self, 1ull << 15, 0, false, gen);
    case at::kInt: return whole_of(self, 1ull << 31, 0, false, gen);
    case at::kLong: return whole_of(self, 1ull << 63, 0, true, gen);
    case at::kHalf: return whole_of(self, (1 << 11) + 1, 0, false, gen);
    case at::kBFloat16: return whole_of(self, (1 << 8) + 1, 0, false, gen);
    case at::kFloat: return whole_of(self, (1 << 24) + 1, 0, false, gen);
    case at::kDouble: return whole_of(self, (1ull << 53) + 1, 0, true, gen);
    default: TORCH_CHECK_NOT_IMPLEMENTED(false, "warpsim: random_ of ", self.scalar_type());
  }
}

Tensor& bernoulli_(Tensor& self, double p, OptionalGenerator gen) {
  TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  float chance = p;
  return floats(
      self, gen, [=](const Four& w, int i) { return float(uniform(w.at[i]) < chance); },
      [=](const Four& w, int i) { return double(uniform_double(w, i) < p); });
}

// Each thread has four elements that follow each other.
void bernoulli_of(Tensor& self, const Tensor& chances, const OptionalGenerator& gen) {
  auto host = chances.expand_as(self).to(at::kCPU, at::kFloat).contiguous();
  const float* p = host.const_data_ptr<float>();
  uint64_t count = self.numel();
  // PyTorch reserves ten numbers, in whole calls of four.
  auto [seed, first] = take(gen, self.device(), 3);
  Filled<float> fill(self);
  for (uint64_t thread = 0; 4 * thread < count; ++thread) {
    Four words = philox(seed, thread, first);
    for (uint64_t i = 0; i < 4 && 4 * thread + i < count; ++i) {
      uint64_t element = 4 * thread + i;
      TORCH_CHECK(0 <= p[element] && p[element] <= 1, "bernoulli: a probability outside [0, 1]");
      fill(element, uniform(words.at[i]) <= p[element]);
    }
  }
}

Tensor& bernoulli_tensor_(Tensor& self, const Tensor& p, OptionalGenerator gen) {
  bernoulli_of(self, p, gen);
  return self;
}

Tensor& bernoulli_out(const Tensor& self, OptionalGenerator gen, Tensor& out) {
  out.resize_(self.sizes());
  bernoulli_of(out, self, gen);
  return out;
}

Tensor bernoulli(const Tensor& self, OptionalGenerator gen) {
  auto out = at::empty_like(self);
  bernoulli_of(out, self, gen);
  return out;
}

// The low bits by which keys of a permutation are sorted: so many that few are equal.
int bits_of_keys(double n) {
  return std::min(64, static_cast<int>(std::ceil(std::log2(n - (6 * n * n + 1) /
                                                              (std::log(0.9) * 12)))));
}

// Random keys are sorted, and equal ones are shuffled.
Tensor& randperm_out(int64_t n, OptionalGenerator gen, Tensor& out) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  at::native::check_supported_max_int_with_precision(n, out);
  out.resize_({n});
  if (n == 0) return out;
  int bits = bits_of_keys(static_cast<double>(n));
  bool is_narrow = bits <= 32;
  auto keys = at::empty({n}, out.options().dtype(is_narrow ? at::kInt : at::kLong));
  if (is_narrow)
    random_from_(keys, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(),
                 gen);
  else
    random_from_(keys, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(),
                 gen);
  uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  auto drawn = keys.to(at::kCPU, at::kLong);
  const int64_t* key = drawn.const_data_ptr<int64_t>();
  // Signed keys of all bits are in their own order.
  uint64_t flip = bits == (is_narrow ? 32 : 64) ? 1ull << (bits - 1) : 0;
  auto masked = [&](int64_t i) { return (static_cast<uint64_t>(key[i]) & mask) ^ flip; };
  std::vector<int64_t> order(n);
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return masked(a) < masked(b); });
  auto [seed, first] = take(gen, out.device(), (n + 3) / 4);
  for (int64_t from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && masked(order[to]) == masked(order[from]);) ++to;
    for (int64_t i = to - from - 1, drawn = 0; i > 0; --i, ++drawn) {
      Four words = philox(seed, from, first + drawn / 4);
      std::swap(order[from + i], order[from + words.at[drawn % 4] % (i + 1)]);
    }
  }
  auto host = at::empty({n}, at::TensorOptions().dtype(at::kLong));
  std::copy(order.begin(), order.end(), host.mutable_data_ptr<int64_t>());
  out.copy_(host);
  return out;
}

// How many elements that follow each other a thread of the dropout kernel has.
uint64_t vector_size(const Tensor& input) {
  bool is_dense = input.is_non_overlapping_and_dense();
  uint64_t most = is_dense ? 16 / input.element_size() : 1;
  while (most > 1 && input.numel() % most != 0) most /= 2;
  return most;
}

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p,
                                          std::optional<bool> train) {
  bool is_off = (train.has_value() && !*train) || p == 0.0;
  auto mask = at::empty_like(input, input.options().dtype(at::kBool));
  if (is_off || input.numel() == 0 || p == 1.0) {
    mask.fill_(is_off);
    return {is_off ? input.clone() : at::zeros_like(input), mask};
  }
  float keep = 1.0 - p;
  uint64_t count = input.numel(), size = vector_size(input);
  if (size == 1) {
    Filled<float> fill(mask);
    draw<4>(count, {}, input.device(),
            [=](const Four& w, int i) { return float(uniform(w.at[i]) < keep); }, std::ref(fill));
  } else {
    Filled<float> fill(mask);
    uint64_t threads = std::min(blocks_at_once(), (count + BLOCK - 1) / BLOCK) * BLOCK;
    auto [seed, first] = take({}, input.device(), (count - 1) / (threads * 4) + 1);
    // Of two elements a time, a thread uses the four numbers of a call in two turns; of eight, it
    // calls twice.
    for (uint64_t start = 0, turn = 0; start < count; start += threads * size, ++turn)
      for (uint64_t thread = 0; start + thread * size < count && thread < threads; ++thread)
        for (uint64_t i = 0; i < size; ++i) {
          uint64_t number = turn * size + i;
          Four words = philox(seed, thread, first + number / 4);
          fill(start + thread * size + i, uniform(words.at[number % 4]) < keep);
        }
  }
  // In the type that a GPU adds up in.
  auto type = input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return {(input.to(type) * mask * (1.0f / keep)).to(input.scalar_type()), mask};
}

void register_random(torch::Library& library) {
  library.impl("uniform_", &Draw<&uniform_>::call);
  library.impl("normal_", &Draw<&normal_>::call);
  library.impl("normal.Tensor_float", &Draw<&normal_with_mean>::call);
  library.impl("normal.float_Tensor", &Draw<&normal_with_deviation>::call);
  library.impl("normal.Tensor_Tensor", &Draw<&normal_with_both>::call);
  library.impl("normal.Tensor_float_out", &Draw<&normal_of_mean>::call);
  library.impl("normal.float_Tensor_out", &Draw<&normal_of_deviation>::call);
  library.impl("normal.Tensor_Tensor_out", &Draw<&normal_of_both>::call);
  library.impl("log_normal_", &Draw<&log_normal_>::call);
  library.impl("exponential_", &Draw<&exponential_>::call);
  library.impl("random_", &Draw<&random_>::call);
  library.impl("random_.from", &Draw<&random_from_>::call);
  library.impl("random_.to", &Draw<&random_to_>::call);
  library.impl("bernoulli_.float", &Draw<&bernoulli_>::call);
  library.impl("bernoulli_.Tensor", &Draw<&bernoulli_tensor_>::call);
  library.impl("bernoulli.out", &Draw<&bernoulli_out>::call);
  library.impl("bernoulli", &Draw<&bernoulli>::call);
  library.impl("native_dropout", &Draw<&native_dropout>::call);
  library.impl("cauchy_", &Draw<&cauchy_>::call);
  library.impl("geometric_", &Draw<&geometric_>::call);
  library.impl("randperm.generator_out", &Draw<&randperm_out>::call);
}

}  // namespace
