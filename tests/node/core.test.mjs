/**
 * The core: small, and to the last bit the same as everything it is a part of. What it has not it
 * refuses, with a sentence that says where that is.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createEngine } from '../../out/pack/unnorm-core.mjs';
import { withBits } from '../matrix/digests.mjs';
import { goldens, withBase64 } from '../matrix/jobs.mjs';
import { dist } from './package.mjs';

/**
 * What a download of the core may be, compressed as servers compress it. The aim is 200 kB, not
 * reached: of what there is, a third reads and writes specs, states and results (serde).
 */
const BUDGET_BYTES = 300_000;

/** Bytes of the wasm files, compressed as servers compress them, which takes a while. */
const downloads = Object.fromEntries(
  ['core', 'plain'].map((kind) => {
    const bytes = readFileSync(new URL(`wasm/${kind}/unnorm_bg.wasm`, dist));
    return [kind, gzipSync(bytes, { level: 9 }).length];
  }),
);

/** Of tests/golden: what the core does. It is as much as is promised, and no less. */
const inCore = [
  'exact-torus-16',
  'fit-dense-20',
  'fit-lattice',
  'fit-maximum-likelihood',
  'fit-pseudolikelihood',
  'fit-spin-glass',
  'log-z-glass',
  'sample-dense-10',
  'sample-torus-from-data',
];

const engine = await createEngine({ numWorkers: 2 });
after(() => engine.close());

test(`the core's WebAssembly is at most ${BUDGET_BYTES / 1000} kB, gzipped`, (t) => {
  t.diagnostic(`gzipped: core ${downloads.core} bytes, plain ${downloads.plain} bytes`);
  assert.ok(downloads.core <= BUDGET_BYTES, `${downloads.core} bytes`);
});

test('the README says how large both are, to 2 %', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const said = /a file of ([\d,]+) kB in\s+place of ([\d,]+) \(gzipped\)/.exec(readme);
  for (const [kind, figure] of [
    ['core', said[1]],
    ['plain', said[2]],
  ]) {
    const ratio = downloads[kind] / (1000 * Number(figure.replace(',', '')));
    assert.ok(Math.abs(ratio - 1) < 0.02, `${kind}: ${downloads[kind]} bytes, ${figure} kB said`);
  }
});

for (const { name, title, spec, digest } of goldens()) {
  const { verb, ...rest } = withBits(withBase64(spec));
  if (inCore.includes(name)) {
    test(`in the core: ${title}`, async () => {
      assert.equal((await engine[verb](rest)).digest, digest);
    });
  } else {
    test(`not in the core: ${title}`, async () => {
      await assert.rejects(Promise.resolve(engine[verb](rest)), (error) => {
        assert.equal(error.code, 'invalid-spec');
        assert.match(error.message, /import .*from 'unnorm'/);
        return true;
      });
    });
  }
}

test('the core has no threads', async () => {
  await assert.rejects(createEngine({ threads: true }), {
    code: 'unsupported',
    message: /'unnorm'/,
  });
});
