// Operations that the CPU's kernels would compute with less precision than a GPU, or not at all.
// A GPU adds numbers of half precision in single precision; it has transforms and sums of sparse
// tensors in half precision, which the CPU lacks.
//
// It follows the CUDA kernels of `ATen/native`. Where it deviates: a transform in half precision is
// computed in single precision and rounded once, where cuFFT computes in half precision.
#pragma once

namespace {

// An operation that is carried out in single precision.
struct Wide {
  // For each result the argument that has its type.
  std::vector<size_t> results;
  // Arguments that it writes.
  std::vector<size_t> written;
};

// The type of a result that is in single precision whatever the arguments are.
constexpr size_t SINGLE = SIZE_MAX;

const std::map<std::string, Wide>& wide() {
  static const std::map<std::string, Wide> operations = {
      {"aten::native_layer_norm", {{0, SINGLE, SINGLE}, {}}},
      {"aten::native_layer_norm_backward", {{1, 5, 6}, {}}},
      {"aten::native_batch_norm", {{0, SINGLE, SINGLE}, {3, 4}}},
      {"aten::native_batch_norm_backward", {{1, 2, 2}, {}}},
      {"aten::native_group_norm_backward", {{1, 4, 4}, {}}},
      {"aten::embedding_dense_backward", {{0}, {}}},
      {"aten::_embedding_bag_backward", {{0}, {}}},
      {"aten::_embedding_bag_dense_backward", {{0}, {}}}};
  return operations;
}

bool is_narrow(const Tensor& t) {
  return t.defined() && (t.scalar_type() == at::kHalf || t.scalar_type() == at::kBFloat16);
}

bool is_narrow_complex(const Tensor& t) {
  return t.defined() && t.scalar_type() == at::kComplexHalf;
}

// How an operation is to be carried out in single precision, or null where it need not be.
const Wide* wide_form(const c10::FunctionSchema& schema) {
  if (schema.arguments().back().is_out()) return nullptr;
  const auto form = wide().find(schema.name());
  return form == wide().end() ? nullptr : &form->second;
}

// Calls the operation with single precision in place of less; its results are as without.
void call_wide(const OperatorHandle& op, const Wide& what, Stack* stack, size_t count) {
  std::vector<IValue> narrow(stack->end() - count, stack->end());
  for (size_t i = stack->size() - count; i < stack->size(); ++i) {
    auto& value = (*stack)[i];
    if (value.isTensor() && is_narrow(value.toTensor())) value = value.toTensor().to(at::kFloat);
  }
  std::vector<IValue> widened(stack->end() - count, stack->end());
  op.callBoxed(stack);
  for (size_t i : what.written)
    if (narrow[i].isTensor() && is_narrow(narrow[i].toTensor()))
      narrow[i].toTensor().copy_(widened[i].toTensor());
  const auto& results = what.results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] == SINGLE) continue;
    auto& value = (*stack)[stack->size() - results.size() + i];
    const auto& like = narrow[results[i]];
    if (value.isTensor() && value.toTensor().defined() && like.isTensor() &&
        is_narrow(like.toTensor()))
      value = value.toTensor().to(like.toTensor().scalar_type());
  }
}

// Fourier transforms in half precision, which cuFFT has for powers of two.
bool is_narrow_transform(const c10::FunctionSchema& schema, const IValue* arguments) {
  const auto& name = schema.name();
  if (name != "aten::_fft_r2c" && name != "aten::_fft_c2c" && name != "aten::_fft_c2r")
    return false;
  return is_narrow(arguments[0].toTensor()) || is_narrow_complex(arguments[0].toTensor());
}

// The length of a transform's real side is an argument of `_fft_c2r` alone.
void check_lengths(const c10::FunctionSchema& schema, const IValue* arguments) {
  const auto input = arguments[0].toTensor();
  auto lengths = input.sizes().vec();
  const auto dims = arguments[1].toIntVector();
  if (schema.name() == "aten::_fft_c2r" && !dims.empty())
    lengths[c10::maybe_wrap_dim(dims.back(), input.dim())] = arguments[3].toInt();
  for (int64_t dim : dims) {
    int64_t length = lengths[c10::maybe_wrap_dim(dim, input.dim())];
    TORCH_CHECK(length > 0 && (length & (length - 1)) == 0,
                "cuFFT only supports dimensions whose sizes are powers of two when computing in "
                "half precision, but got a signal size of ", c10::IntArrayRef(lengths));
  }
}

void call_transform(const OperatorHandle& op, Stack* stack, size_t count) {
  auto& input = (*stack)[stack->size() - count];
  check_lengths(op.schema(), &input);
  const auto narrow = input.toTensor();
  TORCH_CHECK(narrow.scalar_type() != at::kBFloat16, "Unsupported dtype BFloat16");
  input = narrow.to(narrow.is_complex() ? at::kComplexFloat : at::kFloat);
  op.callBoxed(stack);
  auto result = stack->back().toTensor();
  stack->back() = result.to(result.is_complex() ? at::kComplexHalf : at::kHalf);
}

// Sums of sparse tensors in half precision, which the CPU lacks.
bool is_narrow_sparse_sum(const c10::FunctionSchema& schema, const IValue* arguments) {
  const auto& name = schema.name();
  if (name != "aten::add" && name != "aten::add_" && name != "aten::sub" && name != "aten::sub_")
    return false;
  bool has_sparse = false, has_narrow = false;
  for (size_t i = 0; i < 2; ++i) {
    if (!arguments[i].isTensor()) return false;
    has_sparse |= arguments[i].toTensor().layout() == c10::kSparse;
    has_narrow |= is_narrow(arguments[i].toTensor());
  }
  return has_sparse && has_narrow;
}

// The sum in single precision, in the type that both terms have in common.
void call_sparse_sum(const OperatorHandle& op, Stack* stack, size_t count) {
  IValue* arguments = stack->data() + (stack->size() - count);
  const auto first = arguments[0].toTensor(), second = arguments[1].toTensor();
  const auto type = c10::promoteTypes(first.scalar_type(), second.scalar_type());
  const bool is_in_place = op.schema().name().back() == '_';
  for (size_t i = 0; i < 2; ++i)
    if (is_narrow(arguments[i].toTensor())) arguments[i] = arguments[i].toTensor().to(at::kFloat);
  op.callBoxed(stack);
  if (is_in_place) {
    auto given = first;
    stack->back() = given.copy_(stack->back().toTensor());
  } else {
    stack->back() = stack->back().toTensor().to(type);
  }
}

// Carries out an operation on the host's tensors.
void call_host(const OperatorHandle& op, Stack* stack, size_t count) {
  const auto& schema = op.schema();
  const IValue* arguments = stack->data() + (stack->size() - count);
  const bool is_out = schema.arguments().back().is_out();
  if (const Wide* form = wide_form(schema))
    call_wide(op, *form, stack, count);
  else if (!is_out && is_narrow_sparse_sum(schema, arguments))
    call_sparse_sum(op, stack, count);
  else if (!is_out && is_narrow_transform(schema, arguments))
    call_transform(op, stack, count);
  else
    op.callBoxed(stack);
}

}  // namespace
