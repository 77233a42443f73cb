// Operations on CUDA tensors, carried out by PyTorch's CPU kernels on the same bytes.
//
// What it models: a boxed kernel at the CUDA dispatch keys. It makes CPU tensors at the addresses
// of the CUDA tensors, calls the same operation with them, and makes CUDA tensors of what is new
// among the results. Results are allocated by the CUDA allocator from the start. The driver has a
// mirror of the device's memory at these addresses: it hears what an operation is about to read,
// and what it has written, in which stream. So a kernel that races with it in another stream is
// found.
//
// Where it deviates from a GPU: sums may be added in another order, and random numbers come from
// the CPU's generator, seeded with seed and offset of the CUDA generator. An operation waits for
// its stream, and has ended when it returns.
//
// In which direction it can be wrong: an operation that is given memory counts as one that reads
// and writes all of it, but the host orders more than a GPU does.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/native/SparseTensorUtils.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/library.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using c10::Device;
using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::IValue;
using c10::OperatorHandle;
using c10::Storage;
using c10::StorageImpl;
using c10::TensorImpl;
using at::Tensor;
using Stack = torch::jit::Stack;

// ---- the driver -------------------------------------------------------------------------------

// Bytes of the device: an address, and how many.
struct Stretch {
  uint64_t address;
  uint64_t bytes;
};
using Stretches = c10::SmallVector<Stretch, 8>;

struct DriverFunctions {
  uint32_t (*opens)(const Stretch*, size_t) = nullptr;
  uint32_t (*reads)(const Stretch*, size_t, void*) = nullptr;
  uint32_t (*wrote)(const Stretch*, size_t, void*) = nullptr;
  // An operation of a stream that is captured: what it reads and writes, what does it at each
  // launch, and what takes its data when no graph has it any more.
  uint32_t (*captures)(const Stretch*, size_t, const Stretch*, size_t, uint32_t (*)(void*),
                       void (*)(void*), void*, void*) = nullptr;
  int (*peek_error)() = nullptr;
  int (*take_error)() = nullptr;
  // `c10::cuda::CUDAStream::stream`, of a class whose one member is a `c10::Stream`.
  void* (*handle)(const c10::Stream*) = nullptr;
};

template <typename F>
void look_up(F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  TORCH_CHECK(function, "warpsim: the process has no ", name);
}

const DriverFunctions& driver() {
  static const DriverFunctions functions = [] {
    DriverFunctions found;
    look_up(found.opens, "cuWarpsimHostOpens");
    look_up(found.reads, "cuWarpsimHostReads");
    look_up(found.wrote, "cuWarpsimHostWrote");
    look_up(found.captures, "cuWarpsimHostCaptures");
    look_up(found.peek_error, "cudaPeekAtLastError");
    look_up(found.take_error, "cudaGetLastError");
    auto* c10_cuda = dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
    auto* handle = c10_cuda ? dlsym(c10_cuda, "_ZNK3c104cuda10CUDAStream6streamEv") : nullptr;
    TORCH_CHECK(handle, "warpsim: this PyTorch has no c10::cuda::CUDAStream::stream");
    found.handle = reinterpret_cast<void* (*)(const c10::Stream*)>(handle);
    return found;
  }();
  return functions;
}

void check(uint32_t result, const char* what) {
  TORCH_CHECK(result == 0, "CUDA error ", result, ": warpsim: the CPU cannot ", what,
              " memory of the device");
}

// A kernel of PyTorch's own is machine code alone, so a launch of it fails. Not every operation of
// PyTorch's checks its launches. So the next operation reports the failure, before it computes with
// a result that was never written.
void refuse_lost_kernels(const OperatorHandle& op) {
  constexpr int INVALID_DEVICE_FUNCTION = 98, NO_KERNEL_IMAGE = 209;
  int error = driver().peek_error();
  if (error != INVALID_DEVICE_FUNCTION && error != NO_KERNEL_IMAGE) return;
  driver().take_error();
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "warpsim: an operation before ", op.operator_name(),
      " launched a kernel that is machine code for a GPU alone; it has not run");
}

void* current_stream(Device device) {
  auto stream = c10::impl::VirtualGuardImpl(c10::kCUDA).getStream(device);
  return driver().handle(&stream);
}

void open(void* address, size_t bytes) {
  Stretch stretch{reinterpret_cast<uint64_t>(address), bytes};
  check(driver().opens(&stretch, 1), "reach");
}

// ---- memory -----------------------------------------------------------------------------------

// How many routes this thread is in: what it allocates then is the device's.
thread_local int depth = 0;

// The CUDA allocator; older versions of PyTorch do not register it, but tensors know it.
c10::Allocator* device_allocator() {
  if (auto* registered = c10::GetAllocator(c10::kCUDA)) return registered;
  static auto* found =
      at::empty({0}, at::TensorOptions().device(c10::kCUDA)).storage().allocator();
  return found;
}

// The device's memory in the hands of CPU tensors, by its address.
struct Pieces {
  std::mutex lock;
  std::unordered_map<void*, c10::DataPtr> held;

  void keep(c10::DataPtr piece) {
    std::lock_guard<std::mutex> guard(lock);
    auto* address = piece.get();
    held.emplace(address, std::move(piece));
  }

  // Gives it out again; an empty one where the address is none of them.
  c10::DataPtr take(void* address) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = held.find(address);
    if (found == held.end()) return {};
    auto piece = std::move(found->second);
    held.erase(found);
    return piece;
  }
};

Pieces& pieces() {
  static auto* all = new Pieces();
  return *all;
}

c10::Allocator* host_allocator() {
  static auto* host = c10::GetCPUAllocator();
  return host;
}

// Memory is given back by its address alone: what is no piece of the device is the CPU allocator's.
void give_back(void* address) {
  if (!pieces().take(address)) host_allocator()->raw_deleter()(address);
}

// The CPU's allocator, but in a route.
struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    if (depth == 0 || bytes == 0) return host_allocator()->allocate(bytes);
    auto piece = device_allocator()->allocate(bytes);
    auto* address = piece.get();
    open(address, bytes);
    pieces().keep(std::move(piece));
    return {address, address, &give_back, Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

struct InRoute {
  InRoute() { ++depth; }
  ~InRoute() { --depth; }
};

// ---- tensors ----------------------------------------------------------------------------------

bool is_csr(const Tensor& t) {
  auto layout = t.layout();
  return layout == c10::kSparseCsr || layout == c10::kSparseCsc || layout == c10::kSparseBsr ||
      layout == c10::kSparseBsc;
}

void take_form(TensorImpl* to, TensorImpl* from) {
  to->set_storage_offset(from->storage_offset());
  to->set_sizes_and_strides(from->sizes(), from->strides());
}

// A tensor of another device over a storage, with the form and the marks of `like`.
Tensor over(Storage storage, DispatchKey key, const Tensor& like) {
  auto made = at::detail::make_tensor<TensorImpl>(
      std::move(storage), DispatchKeySet(key), like.dtype());
  auto* to = made.unsafeGetTensorImpl();
  take_form(to, like.unsafeGetTensorImpl());
  if (like.is_conj()) to->_set_conj(true);
  if (like.is_neg()) to->_set_neg(true);
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) to->set_wrapped_number(true);
  return made;
}

struct Pair {
  Tensor device;
  Tensor host;
};

void fill(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  open(to, bytes);
  std::memcpy(to, from, bytes);
}

// The bytes of a strided tensor, row by row, or from the first to the last where the rows are many.
void add_stretches(Stretches& to, const Tensor& t) {
  constexpr int64_t MOST = 1024;
  if (t.numel() == 0) return;
  auto start = reinterpret_cast<uint64_t>(t.const_data_ptr());
  int64_t item = t.itemsize(), row = item, rows = 1, last = 0;
  c10::SmallVector<std::pair<int64_t, int64_t>, 6> dims;
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (t.size(d) == 1 || t.stride(d) == 0) continue;
    dims.emplace_back(t.stride(d) * item, t.size(d));
    last += (t.size(d) - 1) * t.stride(d) * item;
  }
  std::sort(dims.begin(), dims.end());
  size_t inner = 0;
  while (inner < dims.size() && dims[inner].first <= row) {
    row = (dims[inner].second - 1) * dims[inner].first + row;
    ++inner;
  }
  for (size_t d = inner; d < dims.size() && rows <= MOST; ++d) rows *= dims[d].second;
  if (rows > MOST) {
    to.push_back({start, static_cast<uint64_t>(last + item)});
    return;
  }
  for (int64_t number = 0; number < rows; ++number) {
    int64_t rest = number, offset = 0;
    for (size_t d = inner; d < dims.size(); ++d) {
      offset += rest % dims[d].second * dims[d].first;
      rest /= dims[d].second;
    }
    to.push_back({start + offset, static_cast<uint64_t>(row)});
  }
}

// One call: what stands for what.
struct Call {
  Device device;
  c10::SmallVector<Pair, 8> pairs;
  c10::SmallVector<std::pair<StorageImpl*, Storage>, 8> made;
  c10::SmallVector<TensorImpl*, 4> hosts;
  // What it reads, and what it has written.
  Stretches reads, wrote;
  // Storages of the device and those that stand for them.
  c10::SmallVector<std::pair<Storage, Storage>, 8> storages;
  // A tensor that the CPU has, with dimensions: operations refuse a mixture.
  bool has_host = false;
  // A tensor of the CPU is to be written, which operations refuse whatever its dimensions are.
  bool writes_host = false;

  // The argument that is being looked at is one that the operation writes.
  bool is_written = false;

  explicit Call(Device device) : device(device) {}

  Storage alias(const Storage& of) {
    for (auto& [theirs, ours] : storages)
      if (theirs.unsafeGetStorageImpl() == of.unsafeGetStorageImpl()) return ours;
    Storage ours(c10::make_intrusive<StorageImpl>(
        StorageImpl::use_byte_size_t(), of.nbytes(),
        c10::DataPtr(const_cast<void*>(of.data()), Device(c10::kCPU)), c10::GetCPUAllocator(),
        true));
    storages.emplace_back(of, ours);
    return ours;
  }

  Tensor to_host(const Tensor& t) {
    if (!t.defined()) return t;
    for (auto& pair : pairs)
      if (pair.device.is_same(t)) {
        // An output may be an input, too, which stands before it.
        if (is_written) is_written_again(t);
        return pair.host;
      }
    if (!t.is_cuda()) {
      if (t.is_cpu()) {
        hosts.push_back(t.unsafeGetTensorImpl());
        if (is_written) writes_host = true;
        if (t.layout() == c10::kStrided && t.dim() > 0) has_host = true;
      }
      return t;
    }
    Tensor host;
    if (t.layout() == c10::kSparse) {
      auto* of = at::sparse::get_sparse_impl(t);
      host = at::detail::make_tensor<at::SparseTensorImpl>(
          DispatchKeySet(DispatchKey::SparseCPU), t.dtype());
      auto* to = at::sparse::get_sparse_impl(host);
      to->resize_(of->sparse_dim(), of->dense_dim(), of->sizes());
      to->set_indices_and_values_unsafe(to_host(of->indices()), to_host(of->values()));
      to->set_coalesced(of->coalesced());
    } else if (is_csr(t)) {
      auto* of = static_cast<at::SparseCsrTensorImpl*>(t.unsafeGetTensorImpl());
      host = csr(DispatchKey::SparseCsrCPU, c10::kCPU, t, to_host(of->compressed_indices()),
                 to_host(of->plain_indices()), to_host(of->values()));
    } else {
      TORCH_CHECK_NOT_IMPLEMENTED(
          t.layout() == c10::kStrided && !t.is_nested() && !t.is_quantized(),
          "warpsim: quantised and nested tensors on CUDA have no route to the CPU");
      // A lazy clone gets bytes of its own before it is written.
      if (is_written) t.storage().mutable_data();
      host = over(alias(t.storage()), DispatchKey::CPU, t);
      add_stretches(reads, t);
      if (is_written) add_stretches(wrote, t);
    }
    pairs.push_back({t, host});
    return host;
  }

  // The bytes of a tensor that was looked at before are written.
  void is_written_again(const Tensor& t) {
    if (t.layout() == c10::kSparse) {
      auto* of = at::sparse::get_sparse_impl(t);
      for (const auto& part : {of->indices(), of->values()}) is_written_again(part);
    } else if (is_csr(t)) {
      auto* of = static_cast<at::SparseCsrTensorImpl*>(t.unsafeGetTensorImpl());
      for (const auto& part : {of->compressed_indices(), of->plain_indices(), of->values()})
        is_written_again(part);
    } else {
      add_stretches(wrote, t);
    }
  }

  static Tensor csr(DispatchKey key, c10::DeviceType type, const Tensor& like, Tensor compressed,
                    Tensor plain, Tensor values) {
    auto made = at::detail::make_tensor<at::SparseCsrTensorImpl>(
        DispatchKeySet(key), Device(type, type == c10::kCUDA ? 0 : -1), like.layout(),
        like.dtype());
    static_cast<at::SparseCsrTensorImpl*>(made.unsafeGetTensorImpl())
        ->set_member_tensors(compressed, plain, values, like.sizes());
    return made;
  }

  // The device's storage for one of the host's.
  Storage to_device(const Storage& of) {
    for (auto& [theirs, ours] : storages)
      if (ours.unsafeGetStorageImpl() == of.unsafeGetStorageImpl()) return theirs;
    for (auto& [host, theirs] : made)
      if (host == of.unsafeGetStorageImpl()) return theirs;
    auto* allocator = device_allocator();
    auto* from = of.unsafeGetStorageImpl();
    size_t bytes = of.nbytes();
    c10::DataPtr data;
    if (of.data_ptr().get_deleter() == &give_back) {
      // It goes on living as the device's, and the host's stays as an alias for as long as needed.
      auto* address = of.data_ptr().get();
      data = pieces().take(address);
      from->set_data_ptr(c10::DataPtr(address, Device(c10::kCPU))).release_context();
    } else {
      data = allocator->allocate(bytes);
      fill(data.get(), of.data(), bytes);
    }
    if (bytes) wrote.push_back({reinterpret_cast<uint64_t>(data.get()), bytes});
    Storage theirs(c10::make_intrusive<StorageImpl>(
        StorageImpl::use_byte_size_t(), bytes, std::move(data), allocator, true));
    made.emplace_back(from, theirs);
    return theirs;
  }

  Tensor to_device(const Tensor& t) {
    if (!t.defined() || !t.is_cpu()) return t;
    for (auto& pair : pairs)
      if (pair.host.is_same(t)) return pair.device;
    for (auto* host : hosts)
      if (host == t.unsafeGetTensorImpl()) return t;
    if (t.layout() == c10::kSparse) {
      auto* of = at::sparse::get_sparse_impl(t);
      auto made = at::detail::make_tensor<at::SparseTensorImpl>(
          DispatchKeySet(DispatchKey::SparseCUDA), t.dtype());
      auto* to = at::sparse::get_sparse_impl(made);
      to->resize_(of->sparse_dim(), of->dense_dim(), of->sizes());
      to->set_indices_and_values_unsafe(to_device(of->indices()), to_device(of->values()));
      to->set_coalesced(of->coalesced());
      return made;
    }
    if (is_csr(t)) {
      auto* of = static_cast<at::SparseCsrTensorImpl*>(t.unsafeGetTensorImpl());
      return csr(DispatchKey::SparseCsrCUDA, c10::kCUDA, t, to_device(of->compressed_indices()),
                 to_device(of->plain_indices()), to_device(of->values()));
    }
    TORCH_CHECK_NOT_IMPLEMENTED(t.layout() == c10::kStrided && !t.is_nested() && !t.is_quantized(),
                                "warpsim: an operation gave a tensor without a route to the GPU");
    return over(to_device(t.storage()), DispatchKey::CUDA, t);
  }

  // Gives what a call did to the form of its arguments to those that they stand for.
  void write_back() {
    for (size_t i = 0; i < pairs.size(); ++i) {
      auto device = pairs[i].device;
      auto host = pairs[i].host;
      if (device.layout() == c10::kSparse) {
        auto* from = at::sparse::get_sparse_impl(host);
        auto* to = at::sparse::get_sparse_impl(device);
        auto indices = to_device(from->indices()), values = to_device(from->values());
        if (!indices.is_same(to->indices()) || !values.is_same(to->values()) ||
            from->sizes() != to->sizes() || from->nnz() != to->nnz()) {
          to->resize_(from->sparse_dim(), from->dense_dim(), from->sizes());
          to->set_indices_and_values_unsafe(indices, values);
        }
        to->set_coalesced(from->coalesced());
        continue;
      }
      if (is_csr(device)) {
        auto* from = static_cast<at::SparseCsrTensorImpl*>(host.unsafeGetTensorImpl());
        auto* to = static_cast<at::SparseCsrTensorImpl*>(device.unsafeGetTensorImpl());
        auto compressed = to_device(from->compressed_indices());
        auto plain = to_device(from->plain_indices()), values = to_device(from->values());
        if (!compressed.is_same(to->compressed_indices()) || !plain.is_same(to->plain_indices()) ||
            !values.is_same(to->values()))
          to->set_member_tensors(compressed, plain, values, from->sizes());
        continue;
      }
      auto* from = host.unsafeGetTensorImpl();
      auto* to = device.unsafeGetTensorImpl();
      // A tensor's own storage may be another one, or a longer one, since.
      auto* now = host.storage().unsafeGetStorageImpl();
      auto* theirs = device.storage().unsafeGetStorageImpl();
      if (now->data() != theirs->data() || now->nbytes() > theirs->nbytes()) {
        auto data = theirs->allocator()->allocate(now->nbytes());
        fill(data.get(), now->data(), now->nbytes());
        if (now->nbytes())
          wrote.push_back({reinterpret_cast<uint64_t>(data.get()), now->nbytes()});
        theirs->set_data_ptr_noswap(std::move(data));
        theirs->set_nbytes(now->nbytes());
      }
      if (from->sizes() != to->sizes() || from->strides() != to->strides() ||
          from->storage_offset() != to->storage_offset()) {
        take_form(to, from);
        // An output that was resized is written where it lies now.
        add_stretches(wrote, device);
      }
    }
  }
};

// ---- calls ------------------------------------------------------------------------------------

Device device_of(const c10::FunctionSchema& schema, const IValue* arguments, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const auto& value = arguments[i];
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_cuda())
      return value.toTensor().device();
    if (value.isTensorList())
      for (const Tensor& t : value.toTensorVector())
        if (t.defined() && t.is_cuda()) return t.device();
  }
  return c10::impl::VirtualGuardImpl(c10::kCUDA).getDevice();
}

// A generator of the CPU for what the CUDA generator stands at, which goes on.
at::Generator generator(const IValue& asked, Device device) {
  at::Generator of = asked.isNone() ? at::globalContext().defaultGenerator(device)
                                    : asked.toGenerator();
  if (of.device().is_cpu()) return of;
  std::lock_guard<std::mutex> lock(of.mutex());
  uint64_t seed = of.current_seed(), offset = of.get_offset();
  of.set_offset(offset + 4);
  uint64_t mixed = seed + 0x9E3779B97F4A7C15ull * (offset / 4 + 1);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
  return at::detail::createCPUGenerator(mixed ^ (mixed >> 31));
}

// Operations that take tensors of both devices.
const std::set<std::string>& mixing() {
  static const std::set<std::string> names = {
      "aten::copy_", "aten::index", "aten::index_put_", "aten::index_put", "aten::_index_put_impl_",
      "aten::_unsafe_index", "aten::_foreach_copy_", "aten::_ctc_loss", "aten::ctc_loss",
      "aten::_ctc_loss_backward", "aten::_copy_from_and_resize", "aten::_pack_padded_sequence",
      "aten::_nested_tensor_from_mask", "aten::_efficient_attention_forward"};
  return names;
}

// Whether a list is one of optional tensors, at least one of which is there.
bool holds_tensors(c10::ArrayRef<IValue> values) {
  return std::any_of(values.begin(), values.end(), [](const IValue& v) { return v.isTensor(); }) &&
      std::all_of(values.begin(), values.end(),
                  [](const IValue& v) { return v.isTensor() || v.isNone(); });
}

void convert_arguments(Call& call, const c10::FunctionSchema& schema, IValue* arguments,
                       size_t count) {
  auto is_written = [&](size_t i) {
    const auto* alias = schema.arguments()[i].alias_info();
    return alias && alias->isWrite();
  };
  // A lazy clone that is written gets bytes of its own before it is looked at as an input.
  for (size_t i = 0; i < count; ++i)
    if (is_written(i) && arguments[i].isTensor()) {
      const Tensor& t = arguments[i].toTensor();
      if (t.defined() && t.is_cuda() && t.layout() == c10::kStrided && !t.is_nested())
        t.storage().mutable_data();
    }
  for (size_t i = 0; i < count; ++i) {
    auto& value = arguments[i];
    call.is_written = is_written(i);
    if (value.isTensor()) {
      value = call.to_host(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor& t : value.toTensorVector()) list.push_back(call.to_host(t));
      value = std::move(list);
    } else if (value.isList() && holds_tensors(value.toListRef())) {
      // Optional tensors. TorchScript's lists of them have a type object of their own, which
      // `isOptionalTensorList` does not know.
      c10::List<std::optional<Tensor>> list;
      for (const IValue& t : value.toListRef())
        list.push_back(t.isTensor() ? std::optional<Tensor>(call.to_host(t.toTensor()))
                                    : std::nullopt);
      value = std::move(list);
    } else if (value.isDevice()) {
      if (value.toDevice().is_cuda()) value = Device(c10::kCPU);
    } else if (value.isGenerator()) {
      value = generator(value, call.device);
    } else if (value.isNone()) {
      const auto& type = *schema.arguments()[i].type();
      if (type.kind() == c10::TypeKind::OptionalType &&
          type.castRaw<c10::OptionalType>()->getElementType()->kind() ==
              c10::TypeKind::GeneratorType)
        value = generator(value, call.device);
    }
  }
}

void convert_results(Call& call, Stack* stack, size_t count) {
  for (auto& value : torch::jit::last(*stack, count)) {
    if (value.isTensor()) {
      const_cast<IValue&>(value) = call.to_device(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor& t : value.toTensorVector()) list.push_back(call.to_device(t));
      const_cast<IValue&>(value) = std::move(list);
    }
  }
}

// Once a process.
void tell() {
  static std::once_flag told;
  std::call_once(told, [] {
    std::fputs("warpsim: PyTorch's own operations are carried out by its CPU kernels; kernels of "
               "the program are simulated\n", stderr);
  });
}

}  // namespace

#include "torch_precision.h"
#include "torch_alerts.h"

namespace {

// Refuses tensors of the CPU where an operation does not take them.
void refuse_mixture(const OperatorHandle& op, const Call& call) {
  if ((!call.has_host && !call.writes_host) || mixing().count(op.schema().name())) return;
  for (auto* host : call.hosts)
    TORCH_CHECK(host->dim() == 0 && !call.writes_host,
                "Expected all tensors to be on the same device, but found at least two devices, ",
                call.device, " and cpu! (when calling ", op.operator_name(), ")");
}

}  // namespace

#include "torch_capture.h"

namespace {

void routed(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  tell();
  refuse_lost_kernels(op);
  const auto& schema = op.schema();
  size_t count = schema.arguments().size();
  IValue* arguments = stack->data() + (stack->size() - count);
  alert_where_not_deterministic(schema, arguments);
  auto device = device_of(schema, arguments, count);
  auto* current = current_stream(device);
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  retired().drop();
  if (is_captured(current)) return captured(op, stack, count, device, current);
  Call call(device);
  InRoute here;
  convert_arguments(call, schema, arguments, count);
  refuse_mixture(op, call);
  check(driver().reads(call.reads.data(), call.reads.size(), current), "read");
  call_host(op, stack, count);
  call.write_back();
  convert_results(call, stack, schema.returns().size());
  check(driver().wrote(call.wrote.data(), call.wrote.size(), current), "write");
}

void refused(const OperatorHandle& op, DispatchKeySet, Stack*) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "warpsim: ", op.operator_name(),
      " has machine code for a GPU alone, and no kernel of PyTorch's for the CPU stands in for it");
}

struct Silent final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

std::vector<std::unique_ptr<torch::Library>>& libraries() {
  static auto* all = new std::vector<std::unique_ptr<torch::Library>>();
  return *all;
}

}  // namespace

#include "torch_random.h"

// Routes operations of a namespace (names with overloads, separated by spaces) at a dispatch key,
// or refuses them. What went wrong comes back as a text.
extern "C" const char* warpsim_torch_register(const char* space, const char* key, const char* names,
                                              int is_refused) {
  static std::string wrong;
  wrong.clear();
  Silent silent;
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  try {
    libraries().push_back(std::make_unique<torch::Library>(
        torch::Library::IMPL, space, c10::parseDispatchKey(key), __FILE__, __LINE__));
    auto& library = *libraries().back();
    std::string all(names);
    for (size_t from = 0; from < all.size();) {
      size_t to = std::min(all.find(' ', from), all.size());
      auto name = all.substr(from, to - from);
      if (!name.empty())
        library.impl(name.c_str(), is_refused
                         ? torch::CppFunction::makeFromBoxedFunction<&refused>()
                         : torch::CppFunction::makeFromBoxedFunction<&routed>());
      from = to + 1;
    }
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  return wrong.c_str();
}

// Random numbers, drawn as a GPU draws them.
extern "C" const char* warpsim_torch_random() {
  static std::string wrong;
  Silent silent;
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  try {
    libraries().push_back(std::make_unique<torch::Library>(
        torch::Library::IMPL, "aten", DispatchKey::CUDA, __FILE__, __LINE__));
    register_random(*libraries().back());
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  return wrong.c_str();
}

extern "C" void warpsim_torch_start() {
  host_allocator();
  static auto* allocator = new Allocator();
  c10::SetCPUAllocator(allocator, 255);
}
