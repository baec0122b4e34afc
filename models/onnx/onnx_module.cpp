// The only source that sees ONNX's headers and protobuf's.
#include "models/onnx/onnx_module.h"

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <exception>

#include "models/network/module.h"

namespace koridor {
namespace {

int data_type(OnnxType type) {
  switch (type) {
    case OnnxType::f32:
      return onnx::TensorProto::FLOAT;
    case OnnxType::u8:
      return onnx::TensorProto::UINT8;
    case OnnxType::i8:
      return onnx::TensorProto::INT8;
    case OnnxType::i32:
      return onnx::TensorProto::INT32;
    case OnnxType::i64:
      return onnx::TensorProto::INT64;
  }
  return onnx::TensorProto::UNDEFINED;
}

void fill(const OnnxValue& from, onnx::ValueInfoProto& to) {
  to.set_name(from.name);
  to.set_doc_string(from.text);
  auto* type = to.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (const OnnxSide& side : from.shape) {
    auto* dimension = type->mutable_shape()->add_dim();
    if (side.name.empty()) {
      dimension->set_dim_value(side.number);
    } else {
      dimension->set_dim_param(side.name);
    }
  }
}

void fill(const OnnxNode& from, onnx::NodeProto& to) {
  to.set_op_type(from.op);
  to.set_name(from.output);
  for (const std::string& input : from.inputs) to.add_input(input);
  to.add_output(from.output);
  for (const OnnxAttribute& attribute : from.attributes) {
    auto* entry = to.add_attribute();
    entry->set_name(attribute.name);
    if (attribute.is_list) {
      entry->set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t number : attribute.numbers) entry->add_ints(number);
    } else {
      entry->set_type(onnx::AttributeProto::INT);
      entry->set_i(attribute.numbers.front());
    }
  }
}

void fill(const OnnxTensor& from, onnx::TensorProto& to) {
  to.set_name(from.name);
  to.set_data_type(data_type(from.type));
  for (const std::int64_t side : from.shape) to.add_dims(side);
  to.set_raw_data(from.bytes);
}

onnx::ModelProto model_of(const OnnxGraph& graph) {
  onnx::ModelProto model;
  model.set_ir_version(graph.ir_version);
  model.set_producer_name("koridor");
  model.set_producer_version(graph.producer_version);
  model.set_doc_string(graph.text);
  model.add_opset_import()->set_version(graph.opset);
  for (const auto& [key, value] : graph.metadata) {
    auto* entry = model.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  onnx::GraphProto& to = *model.mutable_graph();
  to.set_name(graph.name);
  for (const OnnxValue& input : graph.inputs) fill(input, *to.add_input());
  for (const OnnxValue& output : graph.outputs) fill(output, *to.add_output());
  for (const OnnxNode& node : graph.nodes) fill(node, *to.add_node());
  for (const OnnxTensor& tensor : graph.tensors) fill(tensor, *to.add_initializer());
  return model;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const char* koridor_onnx_build() {
  static const std::string build = module_build();
  return build.c_str();
}

extern "C" [[gnu::visibility("default")]] bool koridor_onnx_file(const OnnxGraph& graph, std::string& content,
                                                                 std::string& error) {
  try {
    onnx::ModelProto model = model_of(graph);
    content = model.SerializeAsString();
    onnx::checker::check_model(model);
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                       {/*check_type=*/true, /*strict_mode=*/1, /*enable_data_propagation=*/true});
    return true;
  } catch (const std::exception& failure) {
    error = failure.what();
    return false;
  }
}

}  // namespace koridor
