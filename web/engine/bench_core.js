// The measurement of bench.mjs, for Node and for a page in the browser.
import { Evaluator, loadEngine } from "./index.js";

const ROUNDS = 5;
const MILLISECONDS = 500;

// Positions of some plies each.
function positions(game) {
  return Array.from({ length: 16 }, (_, i) => {
    const state = game.start();
    for (let ply = 0; ply < i && !state.outcome; ++ply) {
      const legal = state.legal();
      state.apply(legal[(7 * i + 13 * ply) % legal.length]);
    }
    return state;
  });
}

// onnxruntime-web on one thread, which is given encoded positions.
async function ortContestant(ort, name, bytes, shape) {
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const feeds = (batch) => {
    const planes = Float32Array.from({ length: batch * shape.planes * shape.rows * shape.columns }, (_, i) => (i % 3) / 2);
    const scalars = new Float32Array(batch * shape.scalars).fill(0.5);
    return {
      planes: new ort.Tensor("float32", planes, [batch, shape.planes, shape.rows, shape.columns]),
      scalars: new ort.Tensor("float32", scalars, [batch, shape.scalars]),
    };
  };
  const made = new Map([1, 16].map((batch) => [batch, feeds(batch)]));
  return { name: `onnxruntime-web ${ort.env.versions.web ?? ""}, ${name}`, run: (batch) => session.run(made.get(batch)) };
}

/** Lines of text; `ort` is onnxruntime-web, `single` and `quantized` its files of the model. */
export async function measure({ wasm, modelBytes, ort, single, quantized }) {
  const engine = await loadEngine(wasm);
  const model = engine.model(modelBytes, "the model");
  const game = engine.game(model.game);
  const states = positions(game);
  const contestants = ["f32", "int8"].map((precision) => {
    const evaluator = new Evaluator(model, game, { precision });
    return { name: `koridor-engine, ${evaluator.description}`, run: (batch) => evaluator.evaluate(states.slice(0, batch)) };
  });
  const shape = game.encoding(model.features);
  if (single) contestants.push(await ortContestant(ort, "f32", single, shape));
  if (quantized) contestants.push(await ortContestant(ort, "int8", quantized, shape));
  const lines = [`${model.game}, ${model.blocks} blocks of ${model.channels} channels`];
  for (const batch of [1, 16]) {
    const best = contestants.map(() => 0);
    for (let round = 0; round < ROUNDS; ++round) {
      for (const [i, { run }] of contestants.entries()) {
        await run(batch);
        const begun = performance.now();
        let done = 0;
        for (; performance.now() - begun < MILLISECONDS; done += batch) await run(batch);
        best[i] = Math.max(best[i], (1000 * done) / (performance.now() - begun));
      }
    }
    contestants.forEach(({ name }, i) => lines.push(`batches of ${batch}: ${best[i].toFixed(0).padStart(6)} positions/s  ${name}`));
  }
  return lines;
}
