// Reads model files by the parser of safetensors in @huggingface/hub (npm), for scripts/check_safetensors.
//
// Usage: node safetensors.mjs PACKAGES_FOLDER FILE...
// Prints a line of JSON for each file: what the parser says of its metadata and tensors, and the number of weights that
// are no finite number. The parser reads from a server, so `fetch` below answers out of the file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, ...files] = process.argv.slice(2);
const hub = await import(pathToFileURL(join(folder, 'node_modules/@huggingface/hub/dist/index.mjs')).href);

function server(bytes) {
  return async (url, options) => {
    const range = new Headers(options?.headers).get('range');
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(range ?? '') ?? [null, 0, bytes.length - 1];
    const part = bytes.subarray(Number(first), Number(last) + 1);
    return new Response(part, {
      status: range ? 206 : 200,
      headers: { etag: '"file"', 'content-length': `${part.length}`, 'content-range': `bytes ${first}-${last}/${bytes.length}` },
    });
  };
}

for (const file of files) {
  const bytes = readFileSync(file);
  const parsed = await hub.parseSafetensorsMetadata({
    repo: 'local/file',
    path: 'model.safetensors',
    computeParametersCount: true,
    fetch: server(bytes),
  });
  const { __metadata__: metadata, ...tensors } = parsed.header;
  const data = bytes.subarray(8 + Number(bytes.readBigUInt64LE(0)));
  let notFinite = 0;
  let end = 0;
  for (const { dtype, shape, data_offsets: [begin, after] } of Object.values(tensors)) {
    end = Math.max(end, after);
    const size = shape.reduce((a, b) => a * b, 1) * { F32: 4, I8: 1, U8: 1 }[dtype];
    if (after - begin !== size) throw new Error(`${file}: a tensor of ${after - begin} bytes, its shape needs ${size}`);
    if (dtype !== 'F32') continue;
    const numbers = new Float32Array(Uint8Array.from(data.subarray(begin, after)).buffer);
    notFinite += numbers.filter((number) => !Number.isFinite(number)).length;
  }
  if (end !== data.length) throw new Error(`${file}: its tensors end at ${end}, its data at ${data.length}`);
  console.log(JSON.stringify({ file, metadata, counts: parsed.parameterCount, tensors: Object.keys(tensors).length, notFinite }));
}
