// Computes ONNX files by onnxruntime-node (or onnxruntime-web, whose WebAssembly comes with its package) and compares
// them with test vectors, for scripts/check_onnx.
//
// Usage: node onnxruntime.mjs PACKAGE PACKAGES_FOLDER < JOBS
// A job is a line of JSON: {"model": FILE.onnx, "vectors": FILE.safetensors, "batch": positions of each call}. Where
// "model" is another file of vectors, its results are compared instead.
// The answer is a line of JSON: positions, differences per output ({"policy": largest, ...}), "divergence" (the mean
// Kullback-Leibler divergence of the policies' softmax over all places from that of the vectors, in nats),
// "value_mean" and "policy_mean" (mean differences of probabilities), positions per second, and the file's metadata.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

const [packageName, folder] = process.argv.slice(2);
const ort = createRequire(join(folder, 'index.js'))(packageName);

// The float32 tensors of a safetensors file: {name: {shape, data}}.
function readTensors(path) {
  const bytes = readFileSync(path);
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString());
  delete header.__metadata__;
  const tensors = {};
  for (const [name, { shape, data_offsets: [begin, end] }] of Object.entries(header)) {
    const copy = Uint8Array.from(bytes.subarray(8 + length + begin, 8 + length + end));
    tensors[name] = { shape, data: new Float32Array(copy.buffer) };
  }
  return tensors;
}

function softmax(logits) {
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = Array.from(logits, (logit) => Math.exp(logit - most));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / total);
}

// Adds what one position's policies differ by.
function addPolicy(expected, actual, sums) {
  const p = softmax(expected);
  const q = softmax(actual);
  for (let i = 0; i < p.length; ++i) {
    if (p[i] > 0) sums.divergence += p[i] * Math.log(p[i] / Math.max(q[i], 1e-30));
    sums.policy += Math.abs(p[i] - q[i]) / p.length;
  }
}

function onnxSession(path) {
  return ort.InferenceSession.create(readFileSync(path), { intraOpNumThreads: 1, logSeverityLevel: 3 });
}

// Answers with the results of the file, batch after batch.
function vectorsSession(path) {
  const tensors = readTensors(path);
  const positions = tensors.planes.shape[0];
  let first = 0;
  return {
    inputNames: ['planes'],
    outputNames: ['policy', 'value', 'auxiliary'],
    run({ planes }) {
      const begin = first;
      first += planes.dims[0];
      const part = ({ data }) => ({ data: data.subarray((begin * data.length) / positions, (first * data.length) / positions) });
      return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, part(tensor)]));
    },
  };
}

async function compare({ model, vectors, batch }) {
  const session = model.endsWith('.onnx') ? await onnxSession(model) : vectorsSession(model);
  const tensors = readTensors(vectors);
  const positions = tensors.planes.shape[0];
  const part = (name, first, count) => {
    const { shape, data } = tensors[name];
    const each = data.length / positions;
    return new ort.Tensor('float32', data.slice(first * each, (first + count) * each), [count, ...shape.slice(1)]);
  };
  const largest = {};
  const sums = { divergence: 0, policy: 0, value: 0 };
  let seconds = 0;
  for (let first = 0; first + batch <= positions; first += batch) {
    const feeds = Object.fromEntries(session.inputNames.map((name) => [name, part(name, first, batch)]));
    const begin = performance.now();
    const results = await session.run(feeds);
    seconds += (performance.now() - begin) / 1000;
    for (const name of session.outputNames) {
      if (tensors[name] === undefined) continue;
      const expected = part(name, first, batch).data;
      const actual = results[name].data;
      if (expected.length !== actual.length) throw new Error(`${name} has ${actual.length} numbers, not ${expected.length}`);
      const each = expected.length / batch;
      for (let i = 0; i < expected.length; ++i) {
        const difference = Math.abs(expected[i] - actual[i]);
        if (!(difference <= (largest[name] ?? 0))) largest[name] = difference;
        if (name === 'value') sums.value += difference / each;
      }
      if (name !== 'policy') continue;
      for (let i = 0; i < batch; ++i) {
        addPolicy(expected.subarray(i * each, (i + 1) * each), actual.subarray(i * each, (i + 1) * each), sums);
      }
    }
  }
  const compared = Math.floor(positions / batch) * batch;
  return {
    positions: compared,
    largest,
    divergence: sums.divergence / compared,
    policy_mean: sums.policy / compared,
    value_mean: sums.value / compared,
    per_second: Math.round(compared / seconds),
    outputs: session.outputNames,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(await compare(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.message ?? error).split('\n')[0] }));
  }
}
