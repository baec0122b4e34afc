// Positions a second of one model: this package against onnxruntime-web on the same network, in Node on one thread.
//
//   npm install --no-save onnxruntime-web
//   node bench.mjs MODEL.koridor MODEL-f32.onnx MODEL-int8.onnx     (koridor export MODEL --format onnx [--precision int8])
//
// Each figure is the best of five runs of half a second, in turns. The engine encodes positions and reads the policy of
// the legal actions besides; onnxruntime-web is given encoded positions.
import { readFile, stat } from "node:fs/promises";

import { Evaluator, loadEngine } from "./index.js";

const [path, single, bytes] = process.argv.slice(2);
const wasm = new URL("koridor-engine.wasm", import.meta.url);
const engine = await loadEngine(await readFile(wasm));
const model = engine.model(await readFile(path), path);
const game = engine.game(model.game);
console.log(`${model.game}, ${model.blocks} blocks of ${model.channels} channels`);
console.log(`module ${(await stat(wasm)).size} bytes, model ${(await stat(path)).size} bytes`);

const states = Array.from({ length: 16 }, (_, i) => {
  const state = game.start();
  for (let ply = 0; ply < i && !state.outcome; ++ply) {
    const legal = state.legal();
    state.apply(legal[(7 * i + 13 * ply) % legal.length]);
  }
  return state;
});

const contestants = [];
for (const precision of ["f32", "int8"]) {
  const evaluator = new Evaluator(model, game, { precision });
  contestants.push({ name: `koridor-engine, ${evaluator.description}`, run: (batch) => evaluator.evaluate(states.slice(0, batch)) });
}
const ort = await import("onnxruntime-web");
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";
const shape = game.encoding(model.distances);
for (const [name, file] of [["f32", single], ["int8", bytes]]) {
  if (!file) continue;
  const session = await ort.InferenceSession.create(await readFile(file), { executionProviders: ["wasm"] });
  const feeds = (batch) => {
    const planes = Float32Array.from({ length: batch * shape.planes * shape.rows * shape.columns }, (_, i) => i % 3 / 2);
    const scalars = new Float32Array(batch * shape.scalars).fill(0.5);
    return {
      planes: new ort.Tensor("float32", planes, [batch, shape.planes, shape.rows, shape.columns]),
      scalars: new ort.Tensor("float32", scalars, [batch, shape.scalars]),
    };
  };
  const made = new Map([1, 16].map((batch) => [batch, feeds(batch)]));
  contestants.push({ name: `onnxruntime-web ${ort.env.versions.web ?? ""}, ${name}`, run: (batch) => session.run(made.get(batch)) });
}

for (const batch of [1, 16]) {
  const best = contestants.map(() => 0);
  for (let round = 0; round < 5; ++round) {
    for (const [i, { run }] of contestants.entries()) {
      await run(batch);
      const begun = performance.now();
      let done = 0;
      for (; performance.now() - begun < 500; done += batch) await run(batch);
      best[i] = Math.max(best[i], (1000 * done) / (performance.now() - begun));
    }
  }
  contestants.forEach(({ name }, i) => console.log(`batches of ${batch}: ${best[i].toFixed(0).padStart(6)} positions/s  ${name}`));
}
