// libkoridor (library/koridor.h) as WebAssembly: the types are in index.d.ts. Structs are read and written by their
// offsets on a machine of 32 bits, and the objects of the library are freed by free() or with their JavaScript object.

import { KoridorError, startModule } from "./module.js";

const NO_ACTION = -1;

/** Compiles and starts the module; `source` is its bytes, an address to fetch (in Node also a file's path
 * or address), a Response or a compiled module. */
export async function loadEngine(source) {
  const { exports, setReport } = await startModule(source);
  return new Engine(exports, setReport);
}

/** The value, a whole number of 32 bits: the module would take others modulo 2^32. */
function int32(value, name) {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) return value;
  throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `${name} is ${value}; it is a whole number below 2^31`);
}
/** The same of a seed: 0 to 2^53 - 1. */
function seedOf(value) {
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `seed is ${value}; it is a whole number from 0 to 2^53 - 1`);
}
const whole = (options, name, otherwise) => int32(options[name] ?? otherwise, name);

const freed = new FinalizationRegistry(({ engine, free, pointer }) => engine.exports[free](pointer));

// An object of the library.
class Handle {
  constructor(engine, free, pointer) {
    this.engine = engine;
    this.freeName = free;
    this.held = pointer;
    freed.register(this, { engine, free, pointer }, this);
  }
  get pointer() {
    if (!this.held) throw new KoridorError("KORIDOR_BAD_HANDLE", "this object was freed");
    return this.held;
  }
  free() {
    if (!this.held) return;
    freed.unregister(this);
    this.engine.exports[this.freeName](this.held);
    this.held = 0;
  }
}

export class Engine {
  constructor(exports, setReport) {
    this.exports = exports;
    this.setReport = setReport;
    this.check(exports.koridor_require_abi(1));
    this.version = this.string(exports.koridor_version());
    this.backends = this.string(exports.koridor_backends()).split(" ");
  }

  games() {
    const x = this.exports;
    return Array.from({ length: x.koridor_game_count() }, (_, i) => ({
      id: this.string(x.koridor_game_id(i)),
      title: this.string(x.koridor_game_title(i)),
      variant: this.string(x.koridor_game_variant(i)),
    }));
  }
  game(name) {
    return new Game(this, name);
  }
  model(bytes, name = "a model") {
    return new Model(this, bytes, name);
  }

  // What follows is for the classes below.
  get view() {
    if (this.cachedView?.buffer !== this.exports.memory.buffer) this.cachedView = new DataView(this.exports.memory.buffer);
    return this.cachedView;
  }
  string(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer);
    let end = at;
    while (bytes[end]) ++end;
    return new TextDecoder().decode(bytes.subarray(at, end));
  }
  check(status) {
    if (status === 0) return;
    throw new KoridorError(
      this.string(this.exports.koridor_status_name(status)),
      this.string(this.exports.koridor_last_error()),
    );
  }
  /** Calls body(address) with so many bytes, zero at first, that are the library's for the time of the call. */
  with(size, body) {
    const at = this.exports.malloc(Math.max(size, 1));
    if (!at) throw new KoridorError("KORIDOR_OUT_OF_MEMORY", "there is no memory left");
    try {
      new Uint8Array(this.exports.memory.buffer, at, size).fill(0);
      return body(at);
    } finally {
      this.exports.free(at);
    }
  }
  withString(text, body) {
    const bytes = new TextEncoder().encode(text);
    return this.with(bytes.length + 1, (at) => {
      new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
      return body(at);
    });
  }
  /** A struct of the library: its size is set, body(address, view) reads what `call` has written. */
  struct(size, call, body) {
    return this.with(size, (at) => {
      this.view.setUint32(at, size, true);
      this.check(call(at));
      return body(at, this.view);
    });
  }
  make(call) {
    return this.with(4, (at) => {
      this.check(call(at));
      return this.view.getUint32(at, true);
    });
  }
  int(call) {
    return this.with(4, (at) => {
      this.check(call(at));
      return this.view.getInt32(at, true);
    });
  }
  text(call) {
    const size = this.with(4, (at) => {
      this.check(call(0, 0, at));
      return this.view.getUint32(at, true) + 1;
    });
    return this.with(size, (at) => {
      this.check(call(at, size, 0));
      return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, at, size - 1).slice());
    });
  }
  /** What a function writes as a list: call(array, capacity, count). */
  list(call, Type = Int32Array) {
    const count = this.with(4, (at) => {
      this.check(call(0, 0, at));
      return this.view.getUint32(at, true);
    });
    if (count === 0) return new Type(0);
    return this.with(Type.BYTES_PER_ELEMENT * count + 4, (at) => {
      this.check(call(at + 4, count, at));
      return new Type(this.exports.memory.buffer.slice(at + 4, at + 4 + Type.BYTES_PER_ELEMENT * count));
    });
  }
  floats(at, count) {
    return Array.from({ length: count }, (_, i) => this.view.getFloat32(at + 4 * i, true));
  }
}

const notationNumber = (notation = "standard") => {
  const number = ["standard", "modern"].indexOf(notation);
  if (number < 0) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `the notation is ${notation}, not standard or modern`);
  return number;
};

export class Game extends Handle {
  constructor(engine, name) {
    const x = engine.exports;
    super(engine, "koridor_game_free", engine.withString(name, (at) => engine.make((out) => x.koridor_game_new(at, out))));
    this.name = engine.string(x.koridor_game_name(this.pointer));
    this.family = engine.string(x.koridor_game_family(this.pointer));
    const lines = engine.string(x.koridor_game_rules(this.pointer)).trimEnd().split("\n");
    this.rules = Object.fromEntries(lines.map((line) => line.split("=")));
    engine.struct(32, (at) => x.koridor_game_describe(this.pointer, at), (at, view) => {
      const names = ["players", "rows", "columns", "numActions", "maxPlies", "numSymmetries", "packedSize"];
      names.forEach((member, i) => (this[member] = view.getInt32(at + 4 + 4 * i, true)));
    });
  }
  start() {
    return new State(this.engine, this, this.engine.make((out) => this.engine.exports.koridor_state_new(this.pointer, out)));
  }
  encoding(features = 1) {
    const call = (at) => this.engine.exports.koridor_game_encoding(this.pointer, int32(features, "features"), at);
    return this.engine.struct(32, call, (at, view) => {
      const names = ["version", "planes", "rows", "columns", "scalars", "policySize", "valueSize"];
      return Object.fromEntries(names.map((member, i) => [member, view.getInt32(at + 4 + 4 * i, true)]));
    });
  }
}

export class State extends Handle {
  constructor(engine, game, pointer) {
    super(engine, "koridor_state_free", pointer);
    this.game = game;
  }
  copy() {
    const x = this.engine.exports;
    return new State(this.engine, this.game, this.engine.make((out) => x.koridor_state_copy(this.pointer, out)));
  }
  get ply() {
    return this.engine.int((at) => this.engine.exports.koridor_state_ply(this.pointer, at));
  }
  /** Who is to move; null where the game is over. */
  get player() {
    return this.outcome ? null : this.engine.int((at) => this.engine.exports.koridor_state_player(this.pointer, at));
  }
  get outcome() {
    const call = (at) => this.engine.exports.koridor_state_outcome(this.pointer, at);
    return this.engine.struct(28, call, (at, view) => {
      if (view.getInt32(at + 4, true) === 0) return null;
      const winner = view.getInt32(at + 8, true);
      return { winner: winner < 0 ? null : winner, values: this.engine.floats(at + 12, this.game.players) };
    });
  }
  legal() {
    return this.engine.list((...out) => this.engine.exports.koridor_state_legal(this.pointer, ...out));
  }
  apply(action) {
    const number = typeof action === "string" ? this.read(action) : int32(action, "the action");
    this.engine.check(this.engine.exports.koridor_state_apply(this.pointer, number));
  }
  read(text, notation) {
    const number = notationNumber(notation);
    const call = (at) => (out) => this.engine.exports.koridor_state_read_action(this.pointer, at, number, out);
    return this.engine.withString(text, (at) => this.engine.int(call(at)));
  }
  text(action, notation) {
    const x = this.engine.exports;
    const [number, by] = [int32(action, "the action"), notationNumber(notation)];
    return this.engine.text((...out) => x.koridor_state_action_text(this.pointer, number, by, ...out));
  }
  board(notation) {
    const number = notationNumber(notation);
    return this.engine.text((...out) => this.engine.exports.koridor_state_board(this.pointer, number, ...out));
  }
}

export class Model extends Handle {
  constructor(engine, bytes, name) {
    const x = engine.exports;
    const data = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    const pointer = engine.withString(name, (title) =>
      engine.with(data.length, (at) => {
        new Uint8Array(x.memory.buffer, at, data.length).set(data);
        return engine.make((out) => x.koridor_model_load_memory(at, data.length, title, out));
      }),
    );
    super(engine, "koridor_model_free", pointer);
    this.game = engine.string(x.koridor_model_game(this.pointer));
    this.family = engine.string(x.koridor_model_family(this.pointer));
    engine.struct(32, (at) => x.koridor_model_describe(this.pointer, at), (at, view) => {
      const names = ["encodingVersion", "features", "players", "generation", "blocks", "channels", "calibrated"];
      names.forEach((member, i) => (this[member] = view.getInt32(at + 4 + 4 * i, true)));
    });
    this.calibrated = this.calibrated === 1;
  }
}

// Calls body(address) with a koridor_evaluation.
function withEvaluation(engine, options, body) {
  return engine.withString(options.backend ?? "", (backend) =>
    engine.withString(options.precision ?? "", (precision) =>
      engine.with(20, (at) => {
        engine.view.setUint32(at, 20, true);
        engine.view.setInt32(at + 4, whole(options, "maxBatch", 0), true);
        engine.view.setInt32(at + 8, whole(options, "cacheMebibytes", 0), true);
        engine.view.setUint32(at + 12, options.backend ? backend : 0, true);
        engine.view.setUint32(at + 16, options.precision ? precision : 0, true);
        return body(at);
      }),
    ),
  );
}

export class Evaluator extends Handle {
  constructor(model, game, options = {}) {
    const engine = model.engine;
    const x = engine.exports;
    const pointer = withEvaluation(engine, options, (how) =>
      engine.make((out) => x.koridor_evaluator_new(model.pointer, game.pointer, how, out)),
    );
    super(engine, "koridor_evaluator_free", pointer);
    this.game = game;
    this.encoding = game.encoding(model.features);
    this.description = engine.string(x.koridor_evaluator_describe(this.pointer));
  }
  /** Policies over actions and values by seat, a row per state. */
  evaluate(states) {
    const count = states.length;
    const policy = count * this.game.numActions;
    const values = count * this.game.players;
    return this.engine.with(4 * (count + policy + values), (at) => {
      states.forEach((state, i) => this.engine.view.setUint32(at + 4 * i, state.pointer, true));
      const first = at + 4 * count;
      const x = this.engine.exports;
      this.engine.check(x.koridor_evaluate_states(this.pointer, at, count, first, first + 4 * policy));
      const buffer = x.memory.buffer.slice(first, first + 4 * (policy + values));
      return { policy: new Float32Array(buffer, 0, policy), values: new Float32Array(buffer, 4 * policy) };
    });
  }
}

export class Session extends Handle {
  constructor(game, model = null, options = {}) {
    const engine = game.engine;
    const pointer = withEvaluation(engine, options, (how) =>
      engine.with(32, (at) => {
        engine.view.setUint32(at, 32, true);
        engine.view.setInt32(at + 8, whole(options, "memoryMebibytes", 128), true);
        engine.view.setInt32(at + 12, notationNumber(options.notation), true);
        engine.view.setBigUint64(at + 16, seedOf(options.seed ?? 0), true);
        engine.view.setUint32(at + 24, how, true);
        const network = model ? model.pointer : 0;
        return engine.make((out) => engine.exports.koridor_session_new(game.pointer, network, at, out));
      }),
    );
    super(engine, "koridor_session_free", pointer);
    this.game = game;
    this.notation = options.notation ?? "standard";
  }
  play(action) {
    const x = this.engine.exports;
    if (typeof action === "number") this.engine.check(x.koridor_session_play(this.pointer, int32(action, "the action")));
    else this.engine.withString(action, (at) => this.engine.check(x.koridor_session_play_text(this.pointer, at)));
  }
  goTo(ply) {
    this.engine.check(this.engine.exports.koridor_session_go_to(this.pointer, int32(ply, "the ply")));
  }
  restart(state = null) {
    this.engine.check(this.engine.exports.koridor_session_restart(this.pointer, state ? state.pointer : 0));
  }
  get moves() {
    return this.engine.list((...out) => this.engine.exports.koridor_session_moves(this.pointer, ...out, 0));
  }
  get ply() {
    return this.engine.with(4, (unused) =>
      this.engine.int((at) => this.engine.exports.koridor_session_moves(this.pointer, 0, 0, unused, at)),
    );
  }
  state() {
    const x = this.engine.exports;
    return new State(this.engine, this.game, this.engine.make((out) => x.koridor_session_state(this.pointer, out)));
  }
  /** The JSON of docs/picture.md. */
  picture() {
    return JSON.parse(this.engine.text((...out) => this.engine.exports.koridor_session_picture(this.pointer, ...out)));
  }
  analysisPicture() {
    const call = (...out) => this.engine.exports.koridor_session_analysis_picture(this.pointer, ...out);
    return JSON.parse(this.engine.text(call));
  }
  search(limits = {}) {
    const { engine } = this;
    const x = engine.exports;
    // An exception must not pass through the module, which would never leave the search: it waits until that has stopped.
    const thrown = [];
    const report = (at) => {
      try {
        return limits.progress(this.summary(at)) === true ? 1 : 0;
      } catch (error) {
        thrown.push(error);
        return 1;
      }
    };
    if (limits.infinite && !limits.progress) {
      throw new KoridorError("KORIDOR_INVALID_ARGUMENT", "an infinite search needs progress, which alone can end it");
    }
    const before = engine.setReport(limits.progress ? report : () => 0);
    try {
      const found = engine.with(48, (at) => {
        engine.view.setUint32(at, 48, true);
        engine.view.setInt32(at + 4, whole(limits, "visits", 0), true);
        engine.view.setFloat64(at + 8, limits.seconds ?? 0, true);
        engine.view.setInt32(at + 16, whole(limits, "nodes", 0), true);
        engine.view.setInt32(at + 20, limits.infinite ? 1 : 0, true);
        engine.view.setInt32(at + 24, whole(limits, "lines", 1), true);
        engine.view.setInt32(at + 28, limits.ownership ? 1 : 0, true);
        engine.view.setUint32(at + 32, limits.progress ? x.koridor_wasm_progress() : 0, true);
        engine.view.setFloat64(at + 40, limits.reportSeconds ?? 0, true);
        const call = (out) => x.koridor_session_search(this.pointer, at, out);
        return engine.struct(88, call, (found) => this.summary(found));
      });
      if (thrown.length > 0) throw thrown[0];
      return found;
    } finally {
      engine.setReport(before); // of the search in whose report this one was asked for
    }
  }
  /** The action that a level of play takes here. */
  choose(level = "full") {
    const x = this.engine.exports;
    const call = (name) => (out) => x.koridor_session_choose(this.pointer, name, out);
    return this.engine.withString(level, (name) => this.engine.int(call(name)));
  }
  summary(at) {
    const { view } = this.engine;
    return {
      player: view.getInt32(at + 4, true),
      values: this.engine.floats(at + 8, this.game.players),
      rawValues: this.engine.floats(at + 24, this.game.players),
      proven: view.getInt32(at + 40, true) === 1,
      best: view.getInt32(at + 44, true),
      visits: view.getInt32(at + 52, true),
      nodes: view.getInt32(at + 56, true),
      evaluations: view.getInt32(at + 60, true),
      seconds: view.getFloat64(at + 80, true),
    };
  }
  /** Of the last search of the position: every legal action, the best first. */
  candidates() {
    const x = this.engine.exports;
    const size = 40;
    const count = this.engine.with(4, (at) => {
      this.engine.check(x.koridor_session_candidates(this.pointer, 0, size, 0, at));
      return this.engine.view.getUint32(at, true);
    });
    return this.engine.with(4 + size * count, (at) => {
      this.engine.check(x.koridor_session_candidates(this.pointer, at + 4, size, count, at));
      const { view } = this.engine;
      return Array.from({ length: count }, (_, i) => {
        const entry = at + 4 + size * i;
        return {
          action: view.getInt32(entry, true),
          visits: view.getInt32(entry + 4, true),
          policy: view.getFloat32(entry + 8, true),
          prior: view.getFloat32(entry + 12, true),
          values: this.engine.floats(entry + 16, this.game.players),
          proven: view.getInt32(entry + 32, true) === 1,
          plies: view.getInt32(entry + 36, true),
        };
      });
    });
  }
  line(number = 0) {
    const which = int32(number, "the line");
    return this.engine.list((...out) => this.engine.exports.koridor_session_line(this.pointer, which, ...out));
  }
  /** Float32Array [rows * columns], or null where it was not asked for or is not known. */
  ownership() {
    const call = (...out) => this.engine.exports.koridor_session_ownership(this.pointer, ...out);
    try {
      return this.engine.list(call, Float32Array);
    } catch (error) {
      if (error instanceof KoridorError && error.status === "KORIDOR_NO_RESULT") return null;
      throw error;
    }
  }
}

export { KoridorError, NO_ACTION };
