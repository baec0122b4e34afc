"""Computes an ONNX file operator by operator, as the standard defines them, and compares the results with test vectors.

Usage: onnx_reference.py MODEL.onnx VECTORS.safetensors [OUTPUT]

The file is read and checked by Debian's python3-onnx, which has no evaluator of its own; numpy does the arithmetic.
VECTORS are of `koridor export --format vectors`. Prints JSON: the number of positions, and the largest difference of
each output from the vectors of its name. With OUTPUT, prints that output's shape and the sum of its numbers as well.
"""
import json
import struct
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return tensors


def conv(x, weight, bias=None, *, kernel_shape, pads, strides):
    assert strides == [1, 1]
    rows, columns = x.shape[2:]
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    result = 0
    for r in range(kernel_shape[0]):
        for c in range(kernel_shape[1]):
            result = result + np.einsum("oi,nihw->nohw", weight[:, :, r, c], x[:, :, r : r + rows, c : c + columns])
    return result if bias is None else result + bias[None, :, None, None]


def along(axis, values, rank):
    """One number for each place of the axis, or a single one, to multiply a tensor of this rank by."""
    return values if values.ndim == 0 else values.reshape([-1 if i == axis else 1 for i in range(rank)])


def quantize(x, scale, zero, axis=1):
    limits = np.iinfo(zero.dtype)
    numbers = np.rint(x / along(axis, scale, x.ndim)) + along(axis, zero, x.ndim)
    return np.clip(numbers, limits.min, limits.max).astype(zero.dtype)


def dequantize(x, scale, zero, axis=1):
    return (x.astype(np.int64) - along(axis, zero, x.ndim)) * along(axis, scale, x.ndim).astype(np.float64)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def reshape(x, shape):
    return x.reshape([x.shape[i] if side == 0 else side for i, side in enumerate(shape)])


OPERATORS = {
    "Add": lambda a, b: a + b,
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
    "Conv": conv,
    "DequantizeLinear": dequantize,
    "Flatten": lambda x, axis: x.reshape(int(np.prod(x.shape[:axis])), -1),
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True),
    "GlobalMaxPool": lambda x: x.max((2, 3), keepdims=True),
    "QuantizeLinear": quantize,
    "Relu": lambda x: np.maximum(x, 0),
    "Reshape": reshape,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Softmax": softmax,
}


def evaluate(graph, inputs):
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    values |= {name: array.astype(np.float64) for name, array in inputs.items()}
    for node in graph.node:
        attributes = {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}
        values[node.output[0]] = OPERATORS[node.op_type](*(values[name] for name in node.input), **attributes)
    return {output.name: values[output.name] for output in graph.output}


def main():
    model = onnx.load(sys.argv[1])
    onnx.checker.check_model(model, full_check=True)
    vectors = read_safetensors(sys.argv[2])
    inputs = {value.name: vectors[value.name] for value in model.graph.input}
    for value in model.graph.input:
        for side, given in zip(value.type.tensor_type.shape.dim, inputs[value.name].shape):
            assert side.dim_param or side.dim_value == given, f"{value.name} has a side of {side.dim_value}, not {given}"
    results = evaluate(model.graph, inputs)
    out = {"positions": len(vectors["planes"]), "metadata": {entry.key: entry.value for entry in model.metadata_props}}
    for name, expected in vectors.items():
        if name in results:
            out[name] = float(np.abs(results[name] - expected).max())
    if len(sys.argv) > 3:
        result = results[sys.argv[3]]
        out |= {"shape": list(result.shape), "sum": float(result.sum())}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
