// The WebAssembly module without a word of what it exports: it is compiled, given the system calls that it makes, and
// started.

const ENOSYS = 52; // of WASI: a call that is not there

export class KoridorError extends Error {
  constructor(status, message) {
    super(message);
    this.name = "KoridorError";
    this.status = status;
  }
}

// The few calls of the system that the module makes: time, random texts on standard error, nothing else.
function systemCalls(memory) {
  const view = () => new DataView(memory().buffer);
  return {
    clock_time_get(_clock, _precision, out) {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_write(descriptor, vectors, count, out) {
      let written = 0;
      let text = "";
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(vectors + 8 * i, true);
        const length = view().getUint32(vectors + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, length));
        written += length;
      }
      if (text.trim()) (descriptor === 2 ? console.warn : console.log)(text.trimEnd());
      view().setUint32(out, written, true);
      return 0;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    proc_exit(code) {
      throw new KoridorError("KORIDOR_INTERNAL", `the engine ended with code ${code}`);
    },
  };
}

// The fetch() of Node takes neither paths nor addresses of files: these are read. Bundlers for browsers must not look for
// what reads them, so its name is a variable.
const FILES = "node:fs/promises";
function isFileOfNode(address) {
  return Boolean(globalThis.process?.versions?.node) && !/^(https?|data|blob):/i.test(address);
}
async function readFileOfNode(address) {
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ FILES);
  try {
    return await readFile(/^file:/i.test(address) ? new URL(address) : address);
  } catch (error) {
    throw new KoridorError("KORIDOR_INVALID_ARGUMENT", error.message);
  }
}

async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string" || source instanceof URL) {
    const address = String(source);
    source = isFileOfNode(address) ? await readFileOfNode(address) : await fetch(address);
  }
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `${source.url}: ${source.status}`);
    source = await source.arrayBuffer(); // needs no particular content type of the server
  }
  return WebAssembly.compile(source);
}

/** The functions that the module of this source exports (see loadEngine), and a function that says what its reports
 * of progress call from now on, and returns what they called before. */
export async function startModule(source) {
  const module = await compiled(source);
  let exports;
  let report = () => 0;
  const known = systemCalls(() => exports.memory);
  const imports = { koridor: { report: (analysis) => report(analysis) } };
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function" || from === "koridor") continue;
    imports[from] ??= {};
    imports[from][name] = known[name] ?? (() => (from === "env" ? 0 : ENOSYS));
  }
  const instance = await WebAssembly.instantiate(module, imports);
  exports = instance.exports;
  exports._initialize?.();
  const setReport = (called) => {
    const before = report;
    report = called;
    return before;
  };
  return { exports, setReport };
}
