// Operations that are issued to a stream that is captured: each becomes a node of the CUDA graph,
// which carries the operation out again at each launch (CUDA programming guide, "CUDA Graphs").
//
// What it models: nothing that is captured happens yet. Results get their memory when they are
// captured, and a launch writes to the same addresses. To know what the results are like, the
// operation is tried out: then the bytes that it read and wrote are put back.
//
// Where it deviates: what is tried out reads memory as it happens to be. If an operation refuses
// that (an index beyond its end), it is tried out once more with whole numbers that are zero. An
// operation whose launch fails ends the launch with an error, where a GPU's context would be gone.
//
// In which direction it can be wrong: another thread that reads the same memory on the host while
// an operation is tried out can see bytes of the trial.
#pragma once

#include <ATen/cuda/detail/PhiloxCudaStateRaw.cuh>

#include <atomic>
#include <functional>
#include <utility>

namespace {

// Does an operation with tensors of the host, and gives its results.
using Work = std::function<Stack()>;
// Makes the tensors of the host, for a call.
using Binding = std::function<Work(Call&)>;

// A result's bytes: which of the results, and where a launch puts it.
struct ResultPlace {
  size_t result;
  Stretch bytes;
};

// A node.
struct CapturedOperation {
  std::string name;
  Work work;
  std::vector<ResultPlace> places;
};

bool is_captured(void* stream) {
  static int (*const ask)(void*, int*) = [] {
    int (*function)(void*, int*) = nullptr;
    look_up(function, "cudaStreamIsCapturing");
    return function;
  }();
  int status = 0;
  // A stream that cannot say it is found out by the operation itself.
  return ask(stream, &status) == 0 && status != 0;
}

// ---- what is done with ------------------------------------------------------------------------

// Nodes that no graph has any more. They may hold tensors, whose allocator calls the driver. The
// driver gives a node back while it is busy, so that they go at the next operation.
struct Retired {
  std::mutex lock;
  std::vector<std::unique_ptr<CapturedOperation>> all;
  std::atomic<bool> is_any{false};

  void add(CapturedOperation* operation) {
    std::lock_guard<std::mutex> guard(lock);
    all.emplace_back(operation);
    is_any = true;
  }
  void drop() {
    if (!is_any.load(std::memory_order_relaxed)) return;
    std::vector<std::unique_ptr<CapturedOperation>> gone;
    std::lock_guard<std::mutex> guard(lock);
    gone.swap(all);
    is_any = false;
  }
};

Retired& retired() {
  static auto* all = new Retired();
  return *all;
}

void retire(void* data) { retired().add(static_cast<CapturedOperation*>(data)); }

// ---- launches ---------------------------------------------------------------------------------

std::vector<Tensor> tensors_of(const Stack& results) {
  std::vector<Tensor> all;
  for (const IValue& value : results) {
    if (value.isTensor()) all.push_back(value.toTensor());
    else if (value.isTensorList())
      for (const Tensor& t : value.toTensorVector()) all.push_back(t);
  }
  return all;
}

// One launch of a node. The driver has brought what it reads to the host, and takes what it writes.
uint32_t launch_captured(void* data) {
  const auto& operation = *static_cast<CapturedOperation*>(data);
  try {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
    auto results = tensors_of(operation.work());
    for (const auto& place : operation.places) {
      const auto& storage = results.at(place.result).storage();
      TORCH_CHECK(storage.nbytes() == place.bytes.bytes, "a result of ", storage.nbytes(),
                  " bytes had ", place.bytes.bytes, " when it was captured");
      std::memcpy(reinterpret_cast<void*>(place.bytes.address), storage.data(), storage.nbytes());
    }
    return 0;
  } catch (const std::exception& error) {
    std::string text = error.what();
    std::fprintf(stderr, "warpsim: %s, captured in a CUDA graph, failed: %s\n",
                 operation.name.c_str(), text.substr(0, text.find('\n')).c_str());
  } catch (...) {
    std::fprintf(stderr, "warpsim: %s, captured in a CUDA graph, failed\n",
                 operation.name.c_str());
  }
  return 1;
}

// ---- captures ---------------------------------------------------------------------------------

// Bytes of the host that go back to what they were.
struct Kept {
  std::vector<std::pair<Stretch, std::vector<char>>> all;

  explicit Kept(const Call& call) {
    for (const auto* stretches : {&call.reads, &call.wrote})
      for (const auto& stretch : *stretches) {
        auto* from = reinterpret_cast<const char*>(stretch.address);
        all.emplace_back(stretch, std::vector<char>(from, from + stretch.bytes));
      }
  }
  ~Kept() {
    for (const auto& [stretch, bytes] : all)
      std::memcpy(reinterpret_cast<void*>(stretch.address), bytes.data(), bytes.size());
  }
};

void zero_whole_numbers(const Call& call) {
  for (const auto& pair : call.pairs) {
    if (!at::isIntegralType(pair.device.scalar_type(), true)) continue;
    Stretches stretches;
    add_stretches(stretches, pair.device);
    for (const auto& stretch : stretches)
      std::memset(reinterpret_cast<void*>(stretch.address), 0, stretch.bytes);
  }
}

void refuse_what_cannot_be_captured(const std::string& name, const Call& call) {
  for (const auto& pair : call.pairs)
    TORCH_CHECK_NOT_IMPLEMENTED(
        pair.device.layout() == c10::kStrided, "warpsim: ", name,
        " of sparse tensors cannot be captured in a CUDA graph");
  for (auto* host : call.hosts) {
    if (host->dim() == 0) continue;
    auto t = Tensor(c10::intrusive_ptr<TensorImpl>::reclaim_copy(host));
    TORCH_CHECK(t.is_pinned(), name, ": cannot copy between CPU and CUDA tensors during CUDA graph "
                "capture unless the CPU tensor is pinned");
  }
}

Stack try_out(Call& call, const Work& work) {
  for (const auto* stretches : {&call.reads, &call.wrote})
    check(driver().opens(stretches->data(), stretches->size()), "reach");
  InRoute here;
  Kept kept(call);
  try {
    return work();
  } catch (const c10::Error&) {
    zero_whole_numbers(call);
    return work();
  }
}

// Captures an operation, and gives its results, which hold nothing yet.
Stack capture(const std::string& name, Device device, void* stream, const Binding& bind) {
  Call trial(device);
  auto work = bind(trial);
  refuse_what_cannot_be_captured(name, trial);
  auto results = try_out(trial, work);
  auto hosts = tensors_of(results);
  for (const Tensor& host : hosts)
    TORCH_CHECK_NOT_IMPLEMENTED(
        !host.defined() || host.layout() == c10::kStrided, "warpsim: ", name,
        " gives a sparse tensor, and cannot be captured in a CUDA graph");
  trial.write_back();
  convert_results(trial, &results, results.size());
  auto operation = std::make_unique<CapturedOperation>();
  operation->name = name;
  // What was resized has another place since.
  Call call(device);
  operation->work = bind(call);
  std::set<StorageImpl*> placed;
  for (size_t i = 0; i < hosts.size(); ++i)
    for (const auto& [host, ours] : trial.made) {
      if (!hosts[i].defined() || hosts[i].storage().unsafeGetStorageImpl() != host) continue;
      if (ours.nbytes() == 0 || !placed.insert(host).second) continue;
      Stretch bytes{reinterpret_cast<uint64_t>(ours.data()), ours.nbytes()};
      operation->places.push_back({i, bytes});
      call.wrote.push_back(bytes);
    }
  check(driver().opens(call.wrote.data(), call.wrote.size()), "reach");
  check(driver().captures(call.reads.data(), call.reads.size(), call.wrote.data(),
                          call.wrote.size(), &launch_captured, &retire, operation.release(),
                          stream),
        "capture an operation on");
  return results;
}

// ---- operations that a GPU waits for ----------------------------------------------------------

bool is_mask(const IValue& index) {
  return index.isTensor() && index.toTensor().defined() &&
      (index.toTensor().scalar_type() == at::kBool || index.toTensor().scalar_type() == at::kByte);
}

// Whether the form of an operation's results, or the host, waits for what memory holds.
bool waits_for_memory(const OperatorHandle& op, const IValue* arguments) {
  const auto& name = op.schema().name();
  bool is_put = name == "aten::index_put_" || name == "aten::_index_put_impl_" ||
      name == "aten::index_put" || name == "aten::_unsafe_index_put";
  if (is_put || name == "aten::index" || name == "aten::_unsafe_index") {
    auto indices = arguments[1].toListRef();
    auto masks = std::count_if(indices.begin(), indices.end(), is_mask);
    auto given = std::count_if(indices.begin(), indices.end(),
                               [](const IValue& i) { return i.isTensor(); });
    // One mask and one number of the host are a `masked_fill`.
    bool fills = is_put && masks == 1 && given == 1 && arguments[2].toTensor().is_cpu() &&
        arguments[2].toTensor().numel() == 1;
    return masks > 0 && !fills;
  }
  if (name == "aten::repeat_interleave") {
    auto is_given = [](const IValue& value) { return value.isInt(); };
    const auto& all = op.schema().arguments();
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].name() == "output_size") return !is_given(arguments[i]);
    return true;
  }
  return op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output);
}

void captured(const OperatorHandle& op, Stack* stack, size_t count, Device device, void* stream) {
  const auto& schema = op.schema();
  std::ostringstream name;
  name << op.operator_name();
  Stack originals(stack->end() - count, stack->end());
  if (waits_for_memory(op, originals.data())) {
    // As on a GPU, the capture is invalid from here on.
    driver().reads(nullptr, 0, stream);
    TORCH_CHECK(false, "warpsim: ", name.str(), " waits for what its tensors hold, and cannot be "
                "captured in a CUDA graph");
  }
  auto results = capture(name.str(), device, stream, [&](Call& call) -> Work {
    auto arguments = originals;
    convert_arguments(call, schema, arguments.data(), count);
    refuse_mixture(op, call);
    return [op, arguments, count] {
      auto work = arguments;
      call_host(op, &work, count);
      return work;
    };
  });
  torch::jit::drop(*stack, count);
  for (auto& result : results) stack->push_back(std::move(result));
}

// ---- random numbers ---------------------------------------------------------------------------

// What a captured draw takes from the CUDA generator: addresses of seed and offset, which PyTorch
// writes before each launch (`CUDAGeneratorImpl::philox_cuda_state`).
struct CapturedDraws {
  Device device;
  // A launch, and not the trial.
  bool is_launch;
  std::vector<at::PhiloxCudaState> states;
  size_t next = 0;

  void begin() { next = 0; }

  std::pair<uint64_t, uint64_t> take(const at::Generator& of, uint64_t calls) {
    if (!is_launch) {
      // A trial may happen twice.
      if (next == states.size()) states.push_back(state_of(of, calls));
      ++next;
      return {0, 0};
    }
    const auto& state = states.at(next++);
    auto seed = static_cast<uint64_t>(*state.seed_.ptr);
    auto offset = static_cast<uint64_t>(*state.offset_.ptr) + state.offset_intragraph_;
    return {seed, offset / 4};
  }

  static at::PhiloxCudaState state_of(const at::Generator& of, uint64_t calls) {
    using Function = at::PhiloxCudaState (*)(at::GeneratorImpl*, uint64_t);
    static const auto function = [] {
      auto* library = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
      return reinterpret_cast<Function>(
          library ? dlsym(library, "_ZN2at17CUDAGeneratorImpl17philox_cuda_stateEm") : nullptr);
    }();
    TORCH_CHECK(function, "warpsim: this PyTorch has no at::CUDAGeneratorImpl::philox_cuda_state");
    return function(of.unsafeGetGeneratorImpl(), 4 * calls);
  }
};

thread_local CapturedDraws* draws = nullptr;

struct InDraws {
  explicit InDraws(CapturedDraws* of) {
    of->begin();
    draws = of;
  }
  ~InDraws() { draws = nullptr; }
};

template <typename T>
constexpr bool IS_TENSOR = std::is_same_v<std::decay_t<T>, Tensor>;

// A function that draws, which is captured where its stream is.
template <auto Function>
struct Draw;

template <typename Result, typename... Arguments, Result (*Function)(Arguments...)>
struct Draw<Function> {
  using Held = std::tuple<std::decay_t<Arguments>...>;

  static Device device_of(const Held& arguments) {
    Device device = c10::impl::VirtualGuardImpl(c10::kCUDA).getDevice();
    std::apply([&](const auto&... each) { (look_at(device, each), ...); }, arguments);
    return device;
  }

  static Result call(Arguments... arguments) {
    Held held(arguments...);
    auto device = device_of(held);
    auto* stream = current_stream(device);
    if (!is_captured(stream)) return Function(std::forward<Arguments>(arguments)...);
    retired().drop();
    // What the trial drew, which is what each launch draws.
    auto of_trial = std::make_shared<CapturedDraws>(CapturedDraws{device, false, {}});
    auto of_launch = std::make_shared<CapturedDraws>(CapturedDraws{device, true, {}});
    auto of = of_trial;
    auto results = capture("an operation that draws random numbers", device, stream,
                           [&](Call& call) -> Work {
      Held hosts = held;
      bind<Arguments...>(call, hosts, std::index_sequence_for<Arguments...>());
      auto mine = std::exchange(of, of_launch);
      of_launch->states = of_trial->states;
      read_states(call, mine->is_launch ? mine->states : std::vector<at::PhiloxCudaState>());
      return [hosts, mine] {
        auto again = hosts;
        InDraws in(mine.get());
        return drawn(again);
      };
    });
    if constexpr (std::is_lvalue_reference_v<Result>) return given(arguments...);
    else if constexpr (IS_TENSOR<Result>) return results.at(0).toTensor();
    else return {results.at(0).toTensor(), results.at(1).toTensor()};
  }

 private:
  static void look_at(Device& device, const Tensor& t) {
    if (t.is_cuda()) device = t.device();
  }
  template <typename T>
  static void look_at(Device&, const T&) {}

  template <typename... Types, size_t... I>
  static void bind(Call& call, Held& hosts, std::index_sequence<I...>) {
    (bind_one<Types>(call, std::get<I>(hosts)), ...);
  }
  // A tensor that is not constant is written.
  template <typename Type, typename T>
  static void bind_one(Call& call, T& held) {
    if constexpr (IS_TENSOR<Type>) {
      call.is_written = std::is_same_v<Type, Tensor&>;
      held = call.to_host(held);
    }
  }

  static void read_states(Call& call, const std::vector<at::PhiloxCudaState>& states) {
    for (const auto& state : states)
      for (const auto* word : {state.seed_.ptr, state.offset_.ptr})
        call.reads.push_back({reinterpret_cast<uint64_t>(word), sizeof(*word)});
  }

  static Stack drawn(Held& hosts) {
    if constexpr (std::is_lvalue_reference_v<Result>) {
      std::apply(Function, hosts);
      return {};
    } else if constexpr (IS_TENSOR<Result>) {
      return {std::apply(Function, hosts)};
    } else {
      auto [first, second] = std::apply(Function, hosts);
      return {first, second};
    }
  }

  // The tensor that the function writes and gives back: its one that is not constant.
  template <typename First, typename... Rest>
  static Tensor& given(First& first, Rest&... rest) {
    if constexpr (std::is_same_v<First, Tensor>) return first;
    else return given(rest...);
  }
};

}  // namespace
