/**
 * Makes dist/inline.js of what the compiler wrote there: one file that holds the package, its
 * worker's script and its WebAssembly without threads.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { Failure, root, say } from './run.mjs';

const dist = join(root, 'dist');
const wasmFile = join(dist, 'wasm/plain/unnorm_bg.wasm');

/** What it is made of besides src/ts. */
export const inlineInputs = [
  'src/tools/inline.mjs',
  'dist/wasm/plain/unnorm.js',
  'dist/wasm/plain/unnorm_bg.wasm',
];

/** One script of a file and all it imports. `texts` are modules that are no files, by their names. */
async function bundle(input, format, texts = {}) {
  // Vite's own bundler. Not imported above: set-up installs it, and this file is loaded before that.
  const { rolldown } = await import('rolldown');
  const bundler = await rolldown({
    input: join(dist, input),
    platform: 'browser',
    // Only wasm-bindgen's default address of the file uses it, which is never asked for.
    ...(format === 'iife' && { transform: { define: { 'import.meta': '{}' } } }),
    plugins: [
      {
        name: 'texts',
        resolveId: (name) => (Object.hasOwn(texts, name) ? `\0${name}` : null),
        load: (id) => (id.startsWith('\0') ? texts[id.slice(1)] : null),
      },
    ],
  });
  try {
    const { output } = await bundler.generate({ format, minify: true, codeSplitting: false });
    if (output.length !== 1) throw new Failure(`${input} became ${output.length} files, not one.`);
    return output[0].code;
  } finally {
    await bundler.close();
  }
}

export async function buildInline() {
  const worker = await bundle('worker-inline.js', 'iife');
  const wasm = deflateRawSync(readFileSync(wasmFile), { level: constants.Z_BEST_COMPRESSION });
  const files =
    `export const worker = ${JSON.stringify(worker)};\n` +
    `export const wasm = ${JSON.stringify(wasm.toString('base64'))};\n`;
  const code = await bundle('inline.js', 'es', { './inline-files.js': files });
  // These would end the script element of a page that it is pasted into.
  const harmful = /<\/script|<!--/i.exec(code);
  if (harmful) throw new Failure(`dist/inline.js has ${harmful[0]} in it, which ends a script.`);
  writeFileSync(join(dist, 'inline.js'), code);
  for (const name of ['inline.js.map', 'worker-inline.js', 'worker-inline.js.map']) {
    rmSync(join(dist, name));
  }
  rmSync(join(dist, 'worker-inline.d.ts'));
  say(`unnorm/inline is one file of ${(code.length / 1e6).toFixed(2)} MB.`);
}
