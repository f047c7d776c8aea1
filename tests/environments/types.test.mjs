/** The types of the published package, for every way in which TypeScript finds them that we support. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packFolder } from '../../src/tools/pack.mjs';
import { root } from '../../src/tools/run.mjs';
import { App, tarball } from './app.mjs';

/**
 * Not looked at: `node10`, TypeScript's resolution that knows no `exports` and that TypeScript 6 gives
 * up; `cjs-resolves-to-esm`, since the package has modules only, which Node 20.19 and newer
 * `require` all the same; and the WebAssembly files, which are addresses and have no types.
 */
const LIMITS = [
  '--profile node16',
  '--ignore-rules cjs-resolves-to-esm',
  '--exclude-entrypoints ./wasm/plain/unnorm_bg.wasm ./wasm/core/unnorm_bg.wasm ./wasm/threads/unnorm_bg.wasm',
].join(' ');

test('are the types wrong?', () => {
  const app = new App('Node');
  try {
    app.run('npm install @arethetypeswrong/cli');
    const report = JSON.parse(app.run(`npx attw '${tarball}' --format json ${LIMITS}`));
    const { entrypoints } = report.analysis;
    for (const entry of ['.', './inline', './worker']) {
      const { resolutions } = entrypoints[entry];
      for (const kind of ['node16-cjs', 'node16-esm', 'bundler']) {
        assert.ok(resolutions[kind].resolution?.isTypeScript, `${entry} by ${kind}`);
      }
    }
  } finally {
    app.close();
  }
});

const program = `
import { createEngine, UnnormError, type EngineOptions, type FitSpec } from 'unnorm';
import { createEngine as createInline } from 'unnorm/inline';

const options: EngineOptions = { blobWorker: true, wasmUrl: new URL('https://example.org/a') };
const spec = {
  model: { kind: 'ising', dim: 1 },
  data: { kind: 'rows', rows: [[0], [1]] },
  objective: { kind: 'mpf' },
} satisfies FitSpec;
export async function run(): Promise<number> {
  const engine = await (Math.random() < 0.5 ? createEngine(options) : createInline());
  const { model } = await engine.fit(spec);
  // @ts-expect-error: the types are there, and say no.
  engine.fit({ model: { kind: 'icing', dim: 1 } });
  const coupling: number | undefined = model.couplings[0];
  if (coupling === undefined) throw new UnnormError('closed', '');
  return coupling;
}
`;

test('a program in TypeScript compiles, declarations of the package included', () => {
  // Where the packed package is installed.
  const folder = mkdtempSync(join(packFolder, 'types-'));
  try {
    for (const name of ['a.mts', 'b.cts', 'c.ts']) writeFileSync(join(folder, name), program);
    const shared =
      '--ignoreConfig --strict --noEmit --target es2022 --lib es2022,dom,dom.iterable --pretty false';
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    for (const args of [
      '--module nodenext a.mts b.cts',
      '--module preserve --moduleResolution bundler c.ts',
    ]) {
      const { status, stdout } = spawnSync(
        process.execPath,
        [tsc, ...`${shared} ${args}`.split(' ')],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
      assert.equal(status, 0, `${args}\n${stdout}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
