// The package under Node. KORIDOR_TEST_MODELS names a folder with wall.koridor (quoridor:5x5,walls=3) and go.koridor
// (go:5x5); without it the tests that need a model are skipped.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { EngineClient } from "./client.js";
import { Evaluator, KoridorError, Session, loadEngine } from "./index.js";
import { EngineServer } from "./worker.js";

const wasm = await readFile(new URL("koridor-engine.wasm", import.meta.url));
const engine = await loadEngine(wasm);
const folder = process.env.KORIDOR_TEST_MODELS;
const withModels = { skip: folder ? false : "KORIDOR_TEST_MODELS names no folder of models" };
const bytes = (name) => readFile(join(folder, name));
const GAME = "quoridor:5x5,walls=3";

const refused = (status, pattern) => (error) =>
  error instanceof KoridorError && error.status === status && pattern.test(error.message);

test("games and rules", () => {
  assert.match(engine.version, /^\d+\.\d+\.\d+$/);
  assert.equal(engine.backends[0], "simd");
  assert.ok(engine.games().some((game) => game.id === "blockade"));
  const game = engine.game(GAME);
  assert.deepEqual([game.name, game.family, game.players, game.rows, game.rules.walls], [GAME, "wall", 2, 5, "3"]);
  assert.equal(game.encoding().policySize, game.numActions);
  assert.throws(() => engine.game("quorridor"), refused("KORIDOR_INVALID_ARGUMENT", /did you mean 'quoridor'/));
});

test("random games of every kind end", () => {
  let seed = 1;
  const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  for (const name of [GAME, "quoridor4:5x5,walls=2", "blockade:6x7,walls=3", "go:5x5,japanese"]) {
    const game = engine.game(name);
    const state = game.start();
    while (!state.outcome) {
      const legal = state.legal();
      const action = legal[random(legal.length)];
      assert.equal(state.read(state.text(action)), action);
      state.apply(action);
      assert.ok(state.ply <= game.maxPlies);
    }
    assert.ok(Math.abs(state.outcome.values.reduce((a, b) => a + b) - 1) < 1e-6);
    assert.equal(state.player, null);
    assert.equal(state.legal().length, 0);
    state.free();
    assert.throws(() => state.legal(), refused("KORIDOR_BAD_HANDLE", /freed/));
  }
});

test("an illegal action is refused with its reason", () => {
  const state = engine.game(GAME).start();
  assert.throws(() => state.apply("e9"), refused("KORIDOR_ILLEGAL_ACTION", /e9/));
  assert.equal(state.ply, 0);
  assert.match(state.board(), /2/);
});

test("a session goes back and forth, and draws itself", () => {
  const session = new Session(engine.game(GAME));
  session.play("c4");
  session.play(session.state().legal()[0]);
  assert.equal(session.ply, 2);
  session.goTo(1);
  assert.deepEqual([session.ply, session.moves.length], [1, 2]);
  const picture = session.picture();
  assert.equal(picture.game, GAME);
  assert.throws(() => session.search(), refused("KORIDOR_INVALID_ARGUMENT", /no model/));
});

test("int8 is near f32, and a search plays", withModels, async () => {
  const model = engine.model(await bytes("wall.koridor"), "wall");
  assert.equal(model.game, GAME);
  const game = engine.game(model.game);
  const states = [game.start(), game.start()];
  states[1].apply("c4");
  const single = new Evaluator(model, game, { precision: "f32" });
  assert.equal(single.description, "simd f32");
  const exact = single.evaluate(states);
  assert.ok(Math.abs(exact.policy.slice(0, game.numActions).reduce((a, b) => a + b) - 1) < 1e-5);
  if (model.calibrated) {
    const fast = new Evaluator(model, game);
    assert.equal(fast.description, "simd int8");
    const found = fast.evaluate(states);
    found.values.forEach((value, i) => assert.ok(Math.abs(value - exact.values[i]) < 0.05));
  }
  const session = new Session(game, model);
  let reports = 0;
  const found = session.search({ visits: 64, lines: 2, progress: () => void ++reports, reportSeconds: 1e-6 });
  assert.ok(reports > 0);
  const candidates = session.candidates();
  assert.equal(found.best, candidates[0].action);
  assert.ok(Math.abs(candidates.reduce((sum, { policy }) => sum + policy, 0) - 1) < 1e-4);
  assert.equal(session.line(1)[0], candidates[1].action);
  assert.equal(session.search({ infinite: true, progress: () => true, reportSeconds: 1e-6 }).best >= 0, true);
  session.play(found.best);
  assert.equal(session.ply, 1);
});

test("owners of points", withModels, async () => {
  const model = engine.model(await bytes("go.koridor"), "go");
  const session = new Session(engine.game("go:5x5"), model);
  session.search({ visits: 8, ownership: true });
  const owners = session.ownership();
  if (owners) assert.equal(owners.length, 25);
  assert.throws(() => new Evaluator(model, engine.game(GAME)), refused("KORIDOR_BAD_MODEL", /family/));
});

test("a worker answers, reports and is stopped", withModels, async () => {
  const worker = { onmessage: null, postMessage: (message) => server.receive(structuredClone(message)) };
  const server = new EngineServer((message) => worker.onmessage({ data: structuredClone(message) }));
  const client = new EngineClient(worker);
  await client.start(wasm);
  const { game } = await client.addModel("wall", await bytes("wall.koridor"));
  assert.equal((await client.info()).models[0].game, game);
  const line = { game, moves: ["c4", "c2", "c3"], ply: 2 };
  assert.equal((await client.position(line)).game, game);
  const played = await client.play(line, "a1h");
  assert.ok(played.picture ?? played.refusal);
  assert.equal((await client.play(line, "zz")).refusal.reason, "illegal");
  const choice = await client.choose(line, { model: "wall", visits: 32 });
  assert.ok((await client.play(line, choice.text)).picture);
  assert.ok((await client.choose(line, { player: "random" })).text);
  const abort = new AbortController();
  let reports = 0;
  const heard = () => void (++reports === 2 && abort.abort());
  const analysis = await client.analyze(line, "wall", {}, heard, abort.signal);
  assert.equal(reports, 2);
  assert.ok(analysis.candidates.length > 0);
  await assert.rejects(client.analyze(line, "none", {}), refused("KORIDOR_INVALID_ARGUMENT", /no model none/));
  await assert.rejects(client.ask("constructor", []), refused("KORIDOR_INVALID_ARGUMENT", /no method/));
});
