/** Custom models: energies and gradients computed by a module of the caller's. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createEngine, moduleUrl } from './package.mjs';

const engine = await createEngine({ numWorkers: 2 });
after(() => engine.close());

/** A standard normal density, in two dimensions unless there are more. */
const source = `export default function (x, energy, grad) {
  const dim = x.length / energy.length;
  for (let b = 0; b < energy.length; b++) {
    let square = 0;
    for (let d = 0; d < dim; d++) {
      square += x[b * dim + d] ** 2;
      grad[b * dim + d] = x[b * dim + d];
    }
    energy[b] = 0.5 * square;
  }
}`;

const job = (model, rest = {}) => ({
  model,
  transition: { kind: 'hmc', stepSize: 0.3 },
  numChains: 8,
  numWarmup: 10,
  numDraws: 50,
  seed: 1,
  ...rest,
});
const custom = (url, dim = 2) => ({ kind: 'custom', dim, url });

/** The error that sampling a module with this text gives. */
async function refusal(text, rest) {
  const spec = job(custom(moduleUrl(text)), rest);
  const error = await engine.sample(spec).catch((reason) => reason);
  assert.equal(error.name, 'UnnormError', String(error));
  assert.equal(error.field, 'model.url', error.message);
  assert.equal(error.code, 'invalid-model', error.message);
  return error.message;
}

test('a module gives the draws of the same model written as a formula', async () => {
  const formula = { kind: 'formula', expression: '0.5*(x^2 + y^2)' };
  const known = await engine.sample(job(formula));
  const ours = await engine.sample(job(custom(moduleUrl(source))));
  assert.deepEqual(ours.draws, known.draws);
});

test('from a file, with any number of workers, and after a stop', async () => {
  const path = join(tmpdir(), `unnorm-custom-${process.pid}.mjs`);
  await writeFile(path, source);
  after(() => rm(path));
  const spec = job(custom(pathToFileURL(path).href, 20), { numChains: 300, numDraws: 150 });
  const { digest } = await engine.sample(spec);
  const single = await createEngine({ numWorkers: 1 });
  assert.equal((await single.sample(spec)).digest, digest);
  await single.close();
  // Each round waits until the report of the last has been received.
  const handle = engine.sample(spec, { progressInterval: 0, streamDraws: true });
  await handle[Symbol.asyncIterator]().next();
  handle.cancel();
  const error = await handle.catch((reason) => reason);
  assert.equal(error.code, 'aborted');
  assert.equal((await engine.sample(spec, { resumeFrom: error.checkpoint })).digest, digest);
  const other = { ...spec, model: custom(moduleUrl(source), 20) };
  const mismatch = engine.sample(other, { resumeFrom: error.checkpoint });
  assert.equal((await mismatch.catch((reason) => reason)).code, 'checkpoint-mismatch');
});

test('what a function does wrong is said, with the chain', async () => {
  const thrown = await refusal('export default () => { throw new Error("no luck"); }');
  assert.match(thrown, /threw: no luck/);
  assert.match(
    await refusal('export default () => {}'),
    /NaN, or nothing, as the energy of chain 0/,
  );
  assert.match(await refusal('export default async () => {}'), /is asynchronous/);
  assert.match(await refusal('export const energy = 1'), /no function as its default export/);
  assert.match(await refusal('export default ((('), /could not be loaded/);
  const nan = `export default (x, energy, grad) => {
    energy.fill(0);
    grad.fill(0);
    grad[2 * 3 + 1] = NaN;
  }`;
  // 64 chains go in groups of four.
  const many = await refusal(nan, { numChains: 64 });
  assert.match(many, /entry 1 of the gradient of chain 3 of the batch, at x = \[/);
});

test('a function that fails on the way fails the job, and the engine goes on', async () => {
  // The first batch is that of the initial states.
  const later = `let calls = 0;
  ${source.replace('export default function', 'function sound')}
  export default (x, energy, grad) => {
    if (++calls > 100) throw new Error('out of luck');
    sound(x, energy, grad);
  }`;
  assert.match(await refusal(later), /out of luck/);
  const { digest } = await engine.sample(job(custom(moduleUrl(source))));
  assert.match(digest, /^[0-9a-f]{64}$/);
});

test('modules within a combined model', async () => {
  const gaussian = { kind: 'gaussian', dim: 2 };
  const half = (model) => ({ model, weight: 0.5 });
  const url = moduleUrl(source);
  const sum = (...parts) => ({ kind: 'combined', how: 'sum', parts });
  const ours = await engine.sample(job(sum(half(gaussian), half(sum({ model: custom(url) })))));
  const known = await engine.sample(job(sum(half(gaussian), half(sum({ model: gaussian })))));
  assert.deepEqual(ours.draws, known.draws);
  for (const [wrong, code] of [
    ['./model.js', 'invalid-spec'],
    [moduleUrl('export default ((('), 'invalid-model'],
  ]) {
    const model = sum(half(gaussian), half(sum({ model: custom(wrong) })));
    const error = await engine.sample(job(model)).catch((reason) => reason);
    assert.equal(error.field, 'model.parts[1].model.parts[0].model.url', error.message);
    assert.equal(error.code, code);
  }
});

/** A normal density of precision k around m, in two dimensions. */
const scaled = `export default function (x, energy, grad, [k, m], paramGrad) {
  for (let b = 0; b < energy.length; b++) {
    const off = [x[2 * b] - m, x[2 * b + 1] - m];
    const square = (off[0] ** 2 + off[1] ** 2) / 2;
    energy[b] = k * square;
    grad[2 * b] = k * off[0];
    grad[2 * b + 1] = k * off[1];
    if (paramGrad) {
      paramGrad[2 * b] = square;
      paramGrad[2 * b + 1] = -k * (off[0] + off[1]);
    }
  }
}`;
const params = { k: { value: 1, lower: 0 }, m: 0 };

test('parameters are fitted as those of the same energy written as a formula', async () => {
  const { draws } = await engine.sample({
    model: { kind: 'gaussian', dim: 2, mean: [1.5, 1.5], covariance: [0.25, 0, 0, 0.25] },
    transition: { kind: 'hmc', stepSize: 0.1 },
    numChains: 600,
    numWarmup: 0,
    numDraws: 1,
    start: { kind: 'exact' },
    seed: 1,
  });
  const ours = { ...custom(moduleUrl(scaled)), params };
  const known = { kind: 'formula', expression: 'k*((x-m)^2 + (y-m)^2)/2', params };
  const chains = { numChains: 100, numSteps: 2, transition: { kind: 'hmc' } };
  for (const fields of [
    {
      objective: {
        kind: 'mpf',
        connectivity: { kind: 'ball', radius: 0.8, numSamples: 4 },
      },
      errors: true,
    },
    { objective: { kind: 'noiseContrastive' }, errors: true },
    { objective: { kind: 'persistentMpf', numRefreshes: 5, ...chains } },
    {
      objective: { kind: 'persistentContrastiveDivergence', ...chains },
      optimizer: { kind: 'adam', learningRate: 0.05, numEpochs: 20 },
    },
  ]) {
    const spec = { states: draws.values, seed: 2, ...fields };
    const [mine, theirs] = await Promise.all(
      [ours, known].map((model) => engine.fit({ ...spec, model })),
    );
    const { kind } = fields.objective;
    const [found, expected] = [mine, theirs].map(({ model }) => [
      model.params.k.value,
      model.params.m,
    ]);
    for (const [at, value] of found.entries()) {
      assert.ok(Math.abs(value - expected[at]) < 1e-6, `${kind}: ${value} and ${expected[at]}`);
    }
    for (const [at, { name, standardError }] of (mine.errors?.parameters ?? []).entries()) {
      const known = theirs.errors.parameters[at];
      assert.equal(name, known.name);
      assert.ok(Math.abs(standardError - known.standardError) < 1e-6, `${kind}: ${name}`);
    }
    assert.ok(mine.model.params.k.value > 2 && mine.model.params.m > 1, kind);
    const energies = { model: mine.model, states: [1, 2] };
    assert.equal((await engine.energies(energies)).energies.length, 1);
  }
  const single = await createEngine({ numWorkers: 1 });
  const spec = {
    model: ours,
    states: draws.values,
    objective: { kind: 'noiseContrastive' },
    seed: 3,
  };
  assert.equal((await single.fit(spec)).digest, (await engine.fit(spec)).digest);
  await single.close();
  const matching = engine.fit({ ...spec, objective: { kind: 'scoreMatching' } });
  const refused = await matching.catch((reason) => reason);
  assert.equal(refused.code, 'missing-capability', refused.message);
});

test('what is wrong with parameters, or with the gradient in them, is said', async () => {
  const fit = (model, text = scaled) =>
    engine
      .fit({
        model: { ...custom(moduleUrl(text)), params, ...model },
        states: [1, 2, 3, 4, 0, 1, 2, -1],
        objective: { kind: 'noiseContrastive' },
        seed: 1,
      })
      .catch((reason) => reason);
  const outside = await fit({ params: { ...params, k: { value: 0, lower: 0 } } });
  assert.equal(outside.field, 'model.params.k.value', outside.message);
  const none = await fit({ params: undefined });
  assert.equal(none.code, 'missing-capability', none.message);
  const forgotten = await fit({}, scaled.replace('paramGrad[2 * b + 1] =', 'const unused ='));
  assert.equal(forgotten.code, 'invalid-model', forgotten.message);
  assert.match(forgotten.message, /entry 1 of the gradient in the parameters of chain 0/);
});

test('URLs have to be absolute', async () => {
  const error = await engine.sample(job(custom('./model.js'))).catch((reason) => reason);
  assert.equal(error.code, 'invalid-spec');
  assert.match(error.message, /absolute URL/);
});

test('pausing and cancelling while the module loads', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unnorm-custom-'));
  after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'go');
  const slow = `import { existsSync } from 'node:fs';
  while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 1));
  ${source}`;
  const cancelled = engine.sample(job(custom(moduleUrl(`${slow} // again`))));
  cancelled.cancel();
  assert.equal((await cancelled.catch((reason) => reason)).code, 'aborted');
  const handle = engine.sample(job(custom(moduleUrl(slow)), { numDraws: 500 }));
  const paused = handle.pause();
  await writeFile(file, '');
  await paused;
  handle.resume();
  assert.match((await handle).digest, /^[0-9a-f]{64}$/);
});
