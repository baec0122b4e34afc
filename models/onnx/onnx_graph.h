// An ONNX model as plain data: the operators of a graph, its weights, and the texts that go with it. network_graph.h
// makes one of a network; the module koridor-onnx.so (onnx_module.h) turns it into a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace koridor {

enum class OnnxType : std::uint8_t { f32, u8, i8, i32, i64 };

// A constant: a weight, or a number that an operator takes as an input.
struct OnnxTensor {
  std::string name;
  OnnxType type = OnnxType::f32;
  std::vector<std::int64_t> shape;  // empty: one number
  std::string bytes;                // row-major, little-endian
};

// A whole number, or a list of them.
struct OnnxAttribute {
  OnnxAttribute(std::string of, std::int64_t number) : name(std::move(of)), is_list(false), numbers{number} {}
  OnnxAttribute(std::string of, std::vector<std::int64_t> list)
      : name(std::move(of)), is_list(true), numbers(std::move(list)) {}

  std::string name;
  bool is_list;
  std::vector<std::int64_t> numbers;
};

// One operator of the standard set; its output's name is its own name as well.
struct OnnxNode {
  std::string op;
  std::vector<std::string> inputs;
  std::string output;
  std::vector<OnnxAttribute> attributes{};
};

// A side of a shape: a number, or the name of one that each call chooses.
struct OnnxSide {
  OnnxSide(std::int64_t of) : number(of) {}
  OnnxSide(const char* of) : name(of) {}

  std::int64_t number = 0;
  std::string name{};  // empty: the number holds
};

// A float32 input or output.
struct OnnxValue {
  std::string name;
  std::vector<OnnxSide> shape;
  std::string text;  // what it holds, for people
};

struct OnnxGraph {
  std::string name;
  std::string text;
  std::string producer_version;
  int opset = 0;
  int ir_version = 0;
  std::vector<OnnxValue> inputs, outputs;
  std::vector<OnnxNode> nodes;  // each behind those whose outputs it takes
  std::vector<OnnxTensor> tensors;
  std::vector<std::pair<std::string, std::string>> metadata;  // metadata_props
};

}  // namespace koridor
