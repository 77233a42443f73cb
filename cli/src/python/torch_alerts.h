// What `torch.use_deterministic_algorithms(True)` refuses on a GPU.
//
// It follows the list in the documentation of that function: operations that have no deterministic
// kernel for CUDA. Their CPU kernels are deterministic and say nothing, so this says it for them,
// by the names that PyTorch's CUDA kernels give. `scripts/pytorch/deterministic.py` compares it with
// a GPU: 2.11 was asked on an H100, and 2.6 by its own tests. Where these differ, the versions
// between follow 2.11.
#pragma once

#include <torch/csrc/api/include/torch/version.h>

namespace {

struct Alert {
  const char* kernel;
  // Whether it is refused with these arguments; null where it always is.
  bool (*is_asked)(const c10::FunctionSchema&, const IValue*);
};

bool has_weights(const c10::FunctionSchema&, const IValue* arguments) {
  return !arguments[1].isNone() && arguments[1].toTensor().defined();
}

bool has_indices(const c10::FunctionSchema& schema, const IValue*) {
  return schema.returns().size() == 2;
}

bool is_floating(const c10::FunctionSchema&, const IValue* arguments) {
  return at::isFloatingType(arguments[0].toTensor().scalar_type());
}

// `embedding_bag`: 2 is the maximum.
bool is_maximum(const c10::FunctionSchema& schema, const IValue* arguments) {
  const auto mode = schema.argumentIndexWithName("mode");
  TORCH_INTERNAL_ASSERT(mode.has_value(), "warpsim: an embedding bag without a mode");
  return arguments[*mode].toInt() == 2;
}

bool is_product(const c10::FunctionSchema& schema, const IValue* arguments) {
  const auto reduce = schema.argumentIndexWithName("reduce");
  TORCH_INTERNAL_ASSERT(reduce.has_value(), "warpsim: a reduction without its kind");
  return arguments[*reduce].toStringView() == "prod";
}

// `scatter` with a reduction, which has overloads of its own.
bool has_reduction(const c10::FunctionSchema& schema, const IValue*) {
  return schema.argumentIndexWithName("reduce").has_value();
}

constexpr bool is_before(int minor) {
  return TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < minor;
}

std::map<std::string, Alert> alerts_of_version() {
  std::map<std::string, Alert> operations = {
      {"aten::avg_pool3d_backward", {"avg_pool3d_backward_cuda", nullptr}},
      {"aten::_adaptive_avg_pool2d_backward", {"adaptive_avg_pool2d_backward_cuda", nullptr}},
      {"aten::_adaptive_avg_pool3d_backward", {"adaptive_avg_pool3d_backward_cuda", nullptr}},
      {"aten::adaptive_max_pool2d_backward", {"adaptive_max_pool2d_backward_cuda", nullptr}},
      {"aten::fractional_max_pool2d_backward", {"fractional_max_pool2d_backward_cuda", nullptr}},
      {"aten::fractional_max_pool3d_backward", {"fractional_max_pool3d_backward_cuda", nullptr}},
      {"aten::upsample_linear1d_backward", {"upsample_linear1d_backward_out_cuda", nullptr}},
      {"aten::upsample_bilinear2d_backward", {"upsample_bilinear2d_backward_out_cuda", nullptr}},
      {"aten::upsample_bicubic2d_backward", {"upsample_bicubic2d_backward_out_cuda", nullptr}},
      {"aten::upsample_trilinear3d_backward", {"upsample_trilinear3d_backward_out_cuda", nullptr}},
      {"aten::reflection_pad1d_backward", {"reflection_pad1d_backward_out_cuda", nullptr}},
      {"aten::reflection_pad3d_backward", {"reflection_pad3d_backward_out_cuda", nullptr}},
      {"aten::replication_pad1d_backward", {"replication_pad1d_backward_cuda", nullptr}},
      {"aten::replication_pad2d_backward", {"replication_pad2d_backward_cuda", nullptr}},
      {"aten::replication_pad3d_backward", {"replication_pad3d_backward_cuda", nullptr}},
      {"aten::nll_loss2d_forward", {"nll_loss2d_forward_out_cuda_template", nullptr}},
      {"aten::_ctc_loss_backward", {"ctc_loss_backward_gpu", nullptr}},
      {"aten::_embedding_bag_backward", {"embedding_bag_backward_cuda_max", &is_maximum}},
      {"aten::_embedding_bag_dense_backward", {"embedding_bag_backward_cuda_max", &is_maximum}},
      {"aten::put_", {"put_", nullptr}},
      {"aten::histc", {"_histc_cuda with floating point input", &is_floating}},
      {"aten::scatter", {"scatter_reduce_cuda_kernel", &has_reduction}},
      {"aten::scatter_", {"scatter_reduce_cuda_kernel", &has_reduction}},
      {"aten::scatter_reduce", {"scatter_reduce_cuda_prod_", &is_product}},
      {"aten::scatter_reduce_", {"scatter_reduce_cuda_prod_", &is_product}},
      {"aten::index_reduce", {"index_reduce_cuda", nullptr}},
      {"aten::index_reduce_", {"index_reduce_cuda", nullptr}},
      {"aten::bincount", {"_bincount_cuda", &has_weights}},
      {"aten::median", {"median CUDA with indices output", &has_indices}},
      {"aten::nanmedian", {"median CUDA with indices output", &has_indices}},
      {"aten::grid_sampler_2d_backward", {"grid_sampler_2d_backward_cuda", nullptr}},
      {"aten::grid_sampler_3d_backward", {"grid_sampler_3d_backward_cuda", nullptr}}};
  if (is_before(15))
    operations["aten::max_pool3d_with_indices_backward"] = {
        "max_pool3d_with_indices_backward_cuda", nullptr};
  if (is_before(7)) {
    operations["aten::reflection_pad2d_backward"] = {"reflection_pad2d_backward_cuda", nullptr};
    operations["aten::histc"] = {"_histc_cuda", nullptr};
    operations["aten::kthvalue"] = {"kthvalue CUDA", nullptr};
  }
  return operations;
}

// An error, or a warning where the program asked for one.
void alert_where_not_deterministic(const c10::FunctionSchema& schema, const IValue* arguments) {
  if (!at::globalContext().deterministicAlgorithms()) return;
  static const auto alerts = alerts_of_version();
  const auto alert = alerts.find(schema.name());
  if (alert == alerts.end()) return;
  const auto& [kernel, is_asked] = alert->second;
  if (!is_asked || is_asked(schema, arguments)) at::globalContext().alertNotDeterministic(kernel);
}

}  // namespace
