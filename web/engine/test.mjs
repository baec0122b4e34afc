// The package under Node. KORIDOR_TEST_MODELS names a folder with wall.koridor (quoridor:5x5,walls=3) and go.koridor
// (go:5x5); without it the tests that need a model are skipped.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

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

test("a module is found by its path or address", async () => {
  const address = new URL("koridor-engine.wasm", import.meta.url);
  for (const source of [address, address.href, fileURLToPath(address), relative("", fileURLToPath(address))]) {
    assert.equal((await loadEngine(source)).version, engine.version);
  }
  await assert.rejects(loadEngine("none.wasm"), refused("KORIDOR_INVALID_ARGUMENT", /none\.wasm/));
});

test("games and rules", () => {
  assert.match(engine.version, /^\d+\.\d+\.\d+$/);
  assert.equal(engine.backends[0], "simd");
  assert.ok(engine.games().some((game) => game.id === "blockade"));
  const game = engine.game(GAME);
  assert.deepEqual([game.name, game.family, game.players, game.rows, game.rules.walls], [GAME, "wall", 2, 5, "3"]);
  assert.equal(game.encoding().policySize, game.numActions);
  assert.ok(game.encoding(0).planes < game.encoding(1).planes);
  assert.ok(game.encoding(1).planes < game.encoding(1 | 2).planes);
  assert.throws(() => game.encoding(8), /koridor_feature/);
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
  for (const action of [2 ** 32 + state.legal()[0], 0.5, NaN]) {
    assert.throws(() => state.apply(action), refused("KORIDOR_INVALID_ARGUMENT", /whole number/));
  }
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
  const many = () => session.search({ visits: 2 ** 32 + 5 });
  assert.throws(many, refused("KORIDOR_INVALID_ARGUMENT", /visits is 4294967301/));
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
  const fails = () => session.search({ visits: 64, progress: () => { throw new RangeError("no room"); }, reportSeconds: 1e-6 });
  assert.throws(fails, new RangeError("no room"));
  assert.throws(() => session.search({ infinite: true }), refused("KORIDOR_INVALID_ARGUMENT", /progress/));
  // A search of another session in a report does not take the reports away.
  const other = new Session(game, model);
  const nested = [];
  session.search({
    visits: 64,
    progress: () => void nested.push(other.search({ visits: 4 }).visits),
    reportSeconds: 1e-6,
  });
  assert.ok(nested.length > 1, `${nested.length} reports`);
  for (const number of [0.5, "x", 2 ** 32]) {
    assert.throws(() => session.line(number), refused("KORIDOR_INVALID_ARGUMENT", /line/));
  }
  for (const seed of [0.5, "x", -1]) {
    assert.throws(() => new Session(game, model, { seed }), refused("KORIDOR_INVALID_ARGUMENT", /seed/));
  }
  session.search({ visits: 8 });
  assert.ok(session.state().legal().includes(session.choose("beginner")));
  session.choose("hard");
  assert.ok(session.analysisPicture().visits <= 4, "the level's own visits");
  assert.throws(() => session.choose("god"), refused("KORIDOR_INVALID_ARGUMENT", /beginner/));
  session.play(found.best);  // the session is not busy
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

function startClient() {
  const worker = { onmessage: null, postMessage: (message) => server.receive(structuredClone(message)) };
  const server = new EngineServer((message) => worker.onmessage({ data: structuredClone(message) }));
  return new EngineClient(worker);
}

test("a worker answers as the server does", async () => {
  const client = startClient();
  const early = refused("KORIDOR_INVALID_ARGUMENT", /before it was started/);
  await assert.rejects(client.info(), early);
  await assert.rejects(client.addModel("none", new Uint8Array(100)), early);
  await client.start(wasm);
  const info = await client.info();
  assert.ok(info.games.some((game) => game.id === "blockade"));
  assert.deepEqual([info.models, info.runs], [[], []]);
  const line = { game: GAME, moves: ["c4", "c2", "c3"], ply: 2 };
  assert.equal((await client.position(line)).moves.length, 3);
  assert.equal((await client.play(line, "zz")).refusal.reason, "unreadable");
  assert.equal((await client.play({ ...line, ply: 0 }, "C4")).picture.last.text, "c4");
  const start = { mover: 1, pawns: [{ seat: 0, at: [2, 2] }, { seat: 1, at: [1, 2] }] };
  assert.equal((await client.position({ game: GAME, moves: ["c4"], ply: 1, start })).moves.length, 1);
  for (const player of info.players) {
    const { text } = await client.choose(line, { player });
    assert.ok((await client.play(line, text)).picture, player);
  }
  const { text, ending } = await client.write({ game: "go:5x5", moves: ["C3", "pass"], ply: 2 }, ["Ada"]);
  assert.equal(ending, "sgf");
  assert.deepEqual((await client.read(text))[0].moves, ["C3", "pass"]);
  await assert.rejects(client.position({ game: "chess", moves: [], ply: 0 }), refused("KORIDOR_INVALID_ARGUMENT", /chess/));
  await assert.rejects(client.choose(line, { player: "model", model: "m0" }), refused("KORIDOR_INVALID_ARGUMENT", /no model/));
  await assert.rejects(client.ask("/api/run", {}), refused("KORIDOR_INVALID_ARGUMENT", /nothing at this path/));
  await assert.rejects(client.call("constructor", []), refused("KORIDOR_INVALID_ARGUMENT", /no method/));
  await assert.rejects(client.addModel("none", new Uint8Array(100)), refused("KORIDOR_INVALID_ARGUMENT", /none/));
});

test("whoever asks a worker that is gone hears why", async () => {
  const worker = { onmessage: null, onerror: null, postMessage() {} };
  const client = new EngineClient(worker);
  const waiting = client.info();
  worker.onerror({ message: "worker.js: 404" });
  await assert.rejects(waiting, refused("KORIDOR_INTERNAL", /404/));
  await assert.rejects(client.start(wasm), refused("KORIDOR_INTERNAL", /404/));
  const closed = new EngineClient({ onmessage: null, onerror: null, postMessage() {} });
  const open = closed.info();
  closed.close();
  await assert.rejects(open, refused("KORIDOR_INTERNAL", /closed/));
  await assert.rejects(closed.info(), refused("KORIDOR_INTERNAL", /closed/));
});

test("a worker starts once, and not by what it refuses", async () => {
  const client = startClient();
  await assert.rejects(client.start(wasm, { seed: -1 }), refused("KORIDOR_INVALID_ARGUMENT", /seed/));
  await assert.rejects(client.info(), refused("KORIDOR_INVALID_ARGUMENT", /before it was started/));
  await client.start(wasm);
  await assert.rejects(client.start(wasm), refused("KORIDOR_INVALID_ARGUMENT", /once/));
});

test("one signal serves many questions", async () => {
  const client = startClient();
  await client.start(wasm);
  const signal = new AbortController().signal;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...words) => (++listeners, add(...words));
  signal.removeEventListener = (...words) => (--listeners, remove(...words));
  for (let ply = 0; ply < 3; ++ply) await client.position({ game: GAME, moves: ["c4", "c2", "c3"], ply }, signal);
  assert.equal(listeners, 0);
});

test("players draw anew in each engine, unless a seed is given", async () => {
  const choices = async (options) => {
    const client = startClient();
    await client.start(wasm, options);
    const texts = [];
    const line = { game: "quoridor", moves: [], ply: 0 };
    for (let i = 0; i < 8; ++i) texts.push((await client.choose(line, { player: "random" })).text);
    return texts;
  };
  await assert.rejects(choices({ seed: 2 ** 32 }), refused("KORIDOR_INVALID_ARGUMENT", /seed is 4294967296/));
  assert.deepEqual(await choices({ seed: 5 }), await choices({ seed: 5 }));
  assert.notDeepEqual(await choices({ seed: 5 }), await choices({ seed: 6 }));
  assert.notDeepEqual(await choices(), await choices());
});

test("searches report, go on beside each other and are stopped", withModels, async () => {
  const client = startClient();
  await client.start(wasm);
  const { id } = await client.addModel("wall", await bytes("wall.koridor"));
  const [model] = (await client.info()).models;
  assert.deepEqual(model, { id, name: "wall", game: GAME });
  assert.deepEqual([await client.modelsFor(GAME), await client.modelsFor("blockade")], [[id], []]);
  const line = { game: GAME, moves: ["c4"], ply: 1 };
  const abort = new AbortController();
  let reports = 0;
  const endless = client.analyze(line, id, {}, () => void ++reports, abort.signal);
  // Beside two searches a position is answered at once, and a third search is refused; beside one another is answered.
  const other = new AbortController();
  const second = client.analyze(line, id, {}, () => {}, other.signal);
  await assert.rejects(client.choose(line, { player: "greedy" }), refused("KORIDOR_BUSY", /2 searches/));
  assert.equal((await client.position(line)).ply, 1);
  other.abort();
  await assert.rejects(second, { name: "AbortError" });
  const { text, value } = await client.choose(line, { player: "model", model: id, level: "full" });
  assert.ok(value >= 0 && value <= 1);
  assert.ok((await client.play(line, text)).picture);
  while (reports < 2) await new Promise((done) => setTimeout(done, 20));
  abort.abort();
  await assert.rejects(endless, { name: "AbortError" });
  const analysis = await client.analyze(line, id, { visits: 60 });
  assert.equal(analysis.visits, 60);
  const again = (await client.choose(line, { player: "model", model: id, level: "full" })).text;
  assert.equal(again, text);
});
