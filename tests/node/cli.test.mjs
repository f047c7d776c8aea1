/** The command line, from the packed package in an empty folder: the same numbers as the API. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { installed } from './command.mjs';
import { chainRows, csv, nested, npy, packed, randomCouplings } from './data.mjs';
import { createEngine, dist, formats, writeNpy } from './package.mjs';

const dim = 6;
const values = chainRows({ numRows: 200, dim });
const data = { kind: 'values', dim, values };
const couplings = randomCouplings(dim, 0.7, 3);
const ising = { kind: 'ising', dim, couplings };
const cues = chainRows({ numRows: 5, dim, seed: 9 });

let home;
let engine;
before(async () => {
  home = installed();
  engine = await createEngine({ numWorkers: 1 });
  writeFileSync(home.path('data.csv'), csv(values, dim));
  writeFileSync(home.path('cues.npy'), npy(cues, dim));
  writeFileSync(home.path('ising.json'), formats.writeJson(ising));
});
after(async () => {
  await engine?.close();
  home?.remove();
});

const read = (name) => readFileSync(home.path(name));
const readJson = (name) => JSON.parse(read(name));

/** The object that a command with --json prints; the command has to succeed. */
function json(...args) {
  const { status, stdout, stderr } = home.unnorm([...args, '--json', '--workers', '1']);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('npx finds the command, and the formats are importable', () => {
  const { version } = readJson('node_modules/unnorm/package.json');
  assert.match(
    home.npm(['exec', '--offline', '--', 'unnorm', '--version']),
    new RegExp(`unnorm ${version}`),
  );
  writeFileSync(
    home.path('import.mjs'),
    "import { readNpy } from 'unnorm/formats';\nimport { readFileSync } from 'node:fs';\n" +
      "console.log(readNpy(readFileSync('cues.npy')).shape.join());\n",
  );
  assert.equal(home.npm(['exec', '--offline', '--', 'node', 'import.mjs']).trim(), `5,${dim}`);
});

test('help tells of every verb and every option', async () => {
  const all = home.unnorm(['help']).stdout;
  assert.equal(home.unnorm([]).stdout, all);
  const { helpOf } = await import(new URL('cli/help.js', dist));
  const { VERBS } = await import(new URL('cli/verbs.js', dist));
  assert.equal(home.unnorm(['help', 'fit']).stdout, helpOf('fit'));
  assert.equal(home.unnorm(['sample', '-h']).stdout, helpOf('sample'));
  for (const verb of [...Object.keys(VERBS), 'repro']) {
    assert.match(all, new RegExp(`^  ${verb} +\\w`, 'm'));
    const page = helpOf(verb);
    for (const option of VERBS[verb]?.options ?? [])
      assert.match(page, new RegExp(`--${option}\\b`));
    for (const line of page.split('\n')) assert.ok(line.length <= 100, line);
  }
});

test('fit gives the numbers of the API, and its model serves all other verbs', async () => {
  const fit = await engine.fit({
    model: { kind: 'ising', dim },
    data,
    objective: { kind: 'pseudolikelihood' },
    seed: 1,
  });
  const set = ['--set', 'objective.kind=pseudolikelihood', '--seed', '1'];
  const told = json('fit', 'ising', 'data.csv', ...set, '-o', 'model.json');
  assert.deepEqual([told.digest, told.seed, told.verb], [fit.digest, 1, 'fit']);
  assert.deepEqual(told.spec.objective, { kind: 'pseudolikelihood' });
  assert.deepEqual(told.inputs.data, { file: 'data.csv', numRows: 200, dim, entries: 'bits' });
  assert.equal(told.model.couplings, undefined, 'what is in the file is not printed');
  assert.deepEqual(readJson('model.json').model.couplings, [...fit.model.couplings]);
  // Printed where there is no file, and the spec of a result can be used again.
  const again = json('fit', '--spec', 'model.json', 'ising', 'data.csv');
  assert.deepEqual([again.digest, again.model.couplings], [fit.digest, [...fit.model.couplings]]);

  const sampled = await engine.sample({
    model: fit.model,
    transition: { kind: 'gibbs' },
    numChains: 4,
    numWarmup: 1000,
    numDraws: 25,
    seed: 2,
  });
  assert.equal(json('sample', 'model.json', '-n', '100', '--seed', '2').digest, sampled.digest);

  const logZ = { numChains: 20, numDistributions: 50, seed: 3 };
  const normalized = await engine.logZ({ model: fit.model, data, ...logZ });
  const small = ['--set', 'numChains=20', '--set', 'numDistributions=50', '--seed', '3'];
  const estimated = json('logz', 'model.json', '--data', 'data.csv', ...small);
  assert.deepEqual([estimated.digest, estimated.logZ], [normalized.digest, normalized.logZ]);

  const exact = await engine.exact({ model: fit.model, data });
  const known = json('exact', 'model.json', '--data', 'data.csv');
  assert.deepEqual([known.digest, known.logLikelihood], [exact.digest, exact.logLikelihood]);

  const energies = await engine.energies({ model: fit.model, states: Float64Array.from(cues) });
  assert.equal(json('energies', 'model.json', 'cues.npy', '-o', 'e.csv').digest, energies.digest);
  assert.equal(read('e.csv').toString(), `${[...energies.energies].join('\n')}\n`);
});

test('memorize, recall and spline give the numbers of the API', async () => {
  const patterns = { kind: 'values', dim, values: cues };
  const memory = await engine.memorize({ model: { kind: 'ising', dim }, patterns, seed: 1 });
  assert.equal(json('memorize', 'cues.npy', '--seed', '1', '-o', 'm.npz').digest, memory.digest);
  const recalled = await engine.recall({ model: memory.model, cues: data, seed: 2 });
  const told = json('recall', 'm.npz', 'data.csv', '--seed', '2', '-o', 'recalled.bits');
  assert.equal(told.digest, recalled.digest);
  assert.deepEqual(new Uint8Array(read('recalled.bits')), recalled.states.bits);
  const spline = await engine.spline({ model: ising, seed: 1 });
  assert.equal(json('spline', 'ising.json', '--seed', '1').digest, spline.digest);
});

test('models on the reals: rows of numbers, from any format, and draws of chains', async () => {
  const spec = {
    model: { kind: 'banana' },
    transition: { kind: 'nuts' },
    numChains: 2,
    numWarmup: 1000,
    numDraws: 101,
    seed: 4,
  };
  const { draws, digest, energies } = await engine.sample(spec);
  const sample = ['sample', 'banana', '-n', '202', '--seed', '4', '-q'];
  for (const file of ['d.npz', 'd.npy', 'd.csv', 'd.json']) {
    assert.equal(json(...sample, '-o', file).digest, digest);
  }
  const archive = await formats.readNpz(read('d.npz'));
  assert.deepEqual(archive.get('draws'), { shape: [101, 2, 2], values: draws.values });
  assert.deepEqual(archive.get('energies'), { shape: [101, 2], values: energies });
  assert.deepEqual(formats.readNpy(read('d.npy')), { shape: [202, 2], values: draws.values });
  assert.deepEqual(formats.readCsv(read('d.csv')), { shape: [202, 2], values: draws.values });
  assert.deepEqual(readJson('d.json').draws.flat(), [...draws.values]);

  const model = { kind: 'gaussian', dim: 2 };
  const objective = { kind: 'maximumLikelihood' };
  const fit = await engine.fit({ model, states: draws.values, objective, seed: 1 });
  const args = ['--set', 'objective.kind=maximumLikelihood', '--seed', '1'];
  for (const file of ['d.npz', 'd.npy', 'd.csv', 'd.json']) {
    assert.equal(json('fit', 'gaussian', file, ...args, '-o', 'g.npz').digest, fit.digest, file);
  }
  const fitted = await formats.readNpz(read('g.npz'));
  assert.deepEqual(fitted.get('model.precision'), { shape: [2, 2], values: fit.model.precision });
  const spoken = ['--set', 'gradients=true', '-o', 'en.npz'];
  const gradients = await engine.energies({
    model: fit.model,
    states: draws.values,
    gradients: true,
  });
  assert.equal(json('energies', 'g.npz', 'd.npy', ...spoken).digest, gradients.digest);
  assert.deepEqual((await formats.readNpz(read('en.npz'))).get('gradients').shape, [202, 2]);
  // A start, a row a chain.
  const start = { kind: 'states', states: [1, 2, 3, 4] };
  const started = await engine.sample({ ...spec, numWarmup: 50, start });
  writeFileSync(home.path('start.csv'), 'a b\n1 2\n3 4\n');
  const warm = ['--set', 'numWarmup=50', '--start', 'start.csv'];
  assert.equal(json(...sample, ...warm).digest, started.digest);
});

test('rows of bits are the same in every format, in and out', async () => {
  const { digest } = await engine.fit({ model: { kind: 'ising', dim }, data });
  const spins = Int8Array.from(values, (value) => 2 * value - 1);
  const files = {
    'x.npy': npy(values, dim),
    'x.npz': formats.writeNpz(new Map([['rows', { values, shape: [200, dim] }]])),
    'x.json': JSON.stringify(nested(values, dim)),
    'x.bits': packed(values, dim).bits,
    'x.spins': csv(spins, dim),
    'x.unknown': npy(spins, dim, '|i1'),
  };
  for (const [file, bytes] of Object.entries(files)) {
    writeFileSync(home.path(file), bytes);
    const told = json('fit', 'ising', file, ...(file === 'x.bits' ? ['--dim', `${dim}`] : []));
    assert.equal(told.digest, digest, file);
    assert.equal(told.inputs.data.entries, /spins|unknown/.test(file) ? 'spins' : 'bits');
  }
  const two = new Map(['a', 'b'].map((name) => [name, { values, shape: [200, dim] }]));
  writeFileSync(home.path('two.npz'), formats.writeNpz(two));
  assert.equal(json('fit', 'ising', 'two.npz', '--array', 'b').digest, digest);

  const { draws } = await engine.sample({
    model: ising,
    transition: { kind: 'gibbs' },
    numChains: 2,
    numWarmup: 1000,
    numDraws: 35,
    seed: 1,
  });
  const rows = formats.unpackBits(draws);
  const sample = ['sample', 'ising.json', '-n', '70', '--seed', '1', '-o'];
  for (const file of ['y.npy', 'y.npz', 'y.json', 'y.bits', 'y.csv', 'y.arviz.json']) {
    json(...sample, file);
  }
  assert.deepEqual(new Uint8Array(read('y.npy')), writeNpy(rows, [70, dim]));
  const archived = (await formats.readNpz(read('y.npz'))).get('draws');
  assert.deepEqual(archived, { shape: [70, dim], values: Float64Array.from(rows) });
  assert.deepEqual(readJson('y.json').draws, nested(rows, dim));
  assert.deepEqual(new Uint8Array(read('y.bits')), draws.bits);
  assert.deepEqual(new Uint8Array(read('y.csv')), csv(rows, dim));
  const { x } = readJson('y.arviz.json').posterior;
  assert.deepEqual(x[1][2], [...rows.subarray(5 * dim, 6 * dim)]);
});

test('pipes: a model into sample, its draws into a fit', async () => {
  const set = ['--set', 'model.numHidden=3', '--seed', '1', '-q'];
  const fit = home.unnorm(['fit', 'rbm', '-', ...set, '-o', '-'], { input: read('data.csv') });
  assert.equal(fit.status, 0, fit.stderr);
  assert.equal(fit.stderr, '');
  const model = JSON.parse(fit.stdout);
  const expected = await engine.fit({
    model: { kind: 'rbm', numVisible: dim, numHidden: 3 },
    data,
    seed: 1,
  });
  assert.equal(model.digest, expected.digest);
  const draw = ['sample', '-', '-n', '40', '--seed', '2', '-q', '-o', '-'];
  const text = home.unnorm(draw, { input: fit.stdout }).stdout;
  assert.match(text, /^([01],){5}[01]\n/);
  for (const format of ['npy', 'npz', 'json', 'csv']) {
    const { stdout } = home.unnorm([...draw, '--format', format], {
      input: Buffer.from(fit.stdout),
      encoding: 'buffer',
    });
    const told = home.unnorm(['fit', 'ising', '-', '--json'], { input: stdout });
    assert.equal(told.status, 0, told.stderr);
    assert.equal(JSON.parse(told.stdout).inputs.data.numRows, 40, format);
  }
});

test('an end of the pipe that has had enough is no failure', async () => {
  const args = ['sample', 'ising.json', '-n', '100000', '-o', '-', '-q'];
  const child = home.start(args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const [status] = await new Promise((resolve) => child.on('close', (...ended) => resolve(ended)));
  assert.deepEqual([status, stderr], [0, '']);
});

test('every field can be set: nested, from files, over those of a spec', async () => {
  writeFileSync(home.path('j.npy'), writeNpy(couplings, [dim, dim]));
  writeFileSync(home.path('j.csv'), formats.writeCsv(couplings, dim));
  writeFileSync(home.path('j.json'), JSON.stringify([...couplings]));
  const { digest } = await engine.exact({ model: ising });
  for (const file of ['j.npy', 'j.csv', 'j.json']) {
    const set = ['--set', 'model.dim=6', '--set', `model.couplings=@${file}`];
    assert.equal(json('exact', 'ising', ...set).digest, digest);
  }
  const network = { kind: 'dbn', sizes: [dim, 2], layers: [{ hiddenBias: [1, 2] }] };
  const transition = { kind: 'blockGibbs' };
  const run = { numChains: 1, numWarmup: 3, numDraws: 5, seed: 0 };
  const { digest: sampled } = await engine.sample({ model: network, transition, ...run });
  writeFileSync(
    home.path('spec.json'),
    JSON.stringify({ model: { ...network, layers: [{ hiddenBias: [0, 0] }] }, ...run, seed: 5 }),
  );
  const over = ['--set', 'model.layers.0.hiddenBias=[1,2]', '--seed', '0'];
  assert.equal(json('sample', '--spec', 'spec.json', ...over).digest, sampled);
});

test('the number of workers changes nothing', () => {
  const args = ['logz', 'ising.json', '--seed', '1', '-q', '--set', 'numDistributions=200'];
  const digests = ['1', '2', '3'].map((workers) => {
    const { stdout } = home.unnorm([...args, '--workers', workers, '--json']);
    return JSON.parse(stdout).digest;
  });
  assert.equal(new Set(digests).size, 1);
});

test('without --json a summary, whose seed gives the same again', () => {
  const first = home.unnorm(['sample', 'ising.json', '-n', '20', '-o', 'z.npy']);
  const { seed, digest } = Object.fromEntries(
    first.stdout.split('\n').map((line) => line.split(/ {2,}/)),
  );
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.equal(json('sample', 'ising.json', '-n', '20', '--seed', seed).digest, digest);
});

test('a device stays a device, and a file is replaced when all is written', {
  skip: process.platform === 'win32',
}, () => {
  const args = ['sample', 'ising.json', '-n', '20', '--format', 'csv', '-o'];
  assert.equal(home.unnorm([...args, '/dev/null']).status, 0);
  assert.ok(statSync('/dev/null').isCharacterDevice());
  writeFileSync(home.path('old.csv'), 'old');
  const refused = home.unnorm([...args, 'old.csv', '--set', 'transition.kind=hmc']);
  assert.equal(refused.status, 2);
  assert.equal(read('old.csv').toString(), 'old');
  assert.equal(home.unnorm([...args, 'old.csv']).status, 0);
  assert.equal(read('old.csv').length, 20 * 2 * dim);
});

test('reproductions run from the package, and put their pictures where they are told to', () => {
  const list = home.unnorm(['repro']);
  assert.equal(list.status, 0, list.stderr);
  assert.ok(list.stdout.split('\n').length > 12 && /^table-3\.1 /m.test(list.stdout));
  const args = ['repro', 'hopfield-noisy', '--quick', '--json', '-q', '-o', 'pictures'];
  const { status, stdout } = home.unnorm(args);
  const report = JSON.parse(stdout);
  assert.equal(status, report.checks.every(({ holds }) => holds) ? 0 : 1);
  assert.match(report.digest, /^[0-9a-f]{64}$/);
  assert.equal(read('pictures/hopfield-noisy.png').toString('latin1', 1, 4), 'PNG');
  const unknown = home.unnorm(['repro', 'dbn']);
  assert.deepEqual([unknown.status, unknown.stdout], [2, '']);
});
