/** What the command line refuses: in one sentence that names the argument, before any work. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { installed } from './command.mjs';
import { chainRows, csv, npy, packed } from './data.mjs';
import { formats, writeNpy } from './package.mjs';

const dim = 4;
const values = chainRows({ numRows: 20, dim });
const { writeNpz } = formats;

let home;
before(() => {
  home = installed();
  const write = (name, content) => writeFileSync(home.path(name), content);
  write('data.csv', csv(values, dim));
  write('numbers.csv', '1.5,2\n3,4.25\n');
  write('nan.csv', '1.5,2\n3,nan\n');
  write('rows.bits', packed(values, dim).bits);
  write('rows.json', '[[0,1],[1]]');
  write('words.json', '{"rows": "none"}');
  write('half.npy', npy(values, dim).slice(0, 140));
  write('half.npz', writeNpz(new Map([['a', { values, shape: [20, dim] }]])).slice(0, 200));
  const two = ['a', 'b'].map((name) => [name, { values, shape: [20, dim] }]);
  write('two.npz', writeNpz(new Map(two)));
  write('flat.npy', writeNpy(Float64Array.of(1, 2, 3), [3]));
  write('model.json', JSON.stringify({ kind: 'ising', dim }));
  write('polluted.json', '{"kind":"ising","dim":4,"pattern":{"__proto__":{"kind":"dense"}}}');
  write(
    'proto.npz',
    writeNpz(
      new Map([['model.__proto__.x', { values, shape: [20, dim] }]]),
      new Map([['unnorm.json', new TextEncoder().encode('{"model":{"kind":"ising","dim":4}}')]]),
    ),
  );
  const url = `data:text/javascript,${encodeURIComponent("import('node:fs').then((fs) => fs.writeFileSync('ran', ''))")}`;
  write('custom.json', JSON.stringify({ kind: 'custom', dim: 2, url }));
  write('spec.json', JSON.stringify({ model: { kind: 'custom', dim: 2, url } }));
  mkdirSync(home.path('folder'));
});
after(() => home?.remove());

const n10 = ['-n', '10'];
/** Arguments, and what the sentence has to say. */
const refusals = {
  'an unknown verb': [['fitt'], /fitt: is no verb; give one of fit, sample/],
  'help of an unknown verb': [['help', 'toString'], /toString: is no verb/],
  'a verb that every object has': [['constructor'], /constructor: is no verb/],
  'an unknown option': [['fit', 'ising', 'data.csv', '--sed', '1'], /'--sed' of fit; .*--seed/],
  'an option without its value': [['sample', 'model.json', '-n'], /-n, --draws.*see unnorm help/],
  'too few arguments': [['fit', 'ising'], /fit takes MODEL and DATA, got 1/],
  'too many arguments': [['exact', 'model.json', 'x'], /exact takes MODEL, got 2/],
  'a seed that is none': [['fit', 'ising', 'data.csv', '--seed', '1.5'], /--seed 1\.5: .*whole/],
  'no workers': [['exact', 'model.json', '--workers', '0'], /--workers 0: .* from 1 to 64/],
  'an unknown kind': [['fit', 'heisenberg', 'data.csv'], /heisenberg: is no kind .* ising, rbm/],
  'a file that is not there': [['fit', 'ising', 'no.csv'], /no\.csv: there is no such file/],
  'a folder as a file': [['fit', 'ising', 'folder'], /folder: is a folder/],
  'numbers for bits': [['fit', 'ising', 'numbers.csv'], /numbers\.csv: line 1, column 1 is .1\.5/],
  'a NaN among numbers': [
    ['fit', 'gaussian', 'nan.csv', '--set', 'objective.kind=maximumLikelihood'],
    /nan\.csv/,
  ],
  'ragged rows': [['fit', 'ising', 'rows.json'], /rows\.json: .*1 entries where/],
  'JSON without rows': [['fit', 'ising', 'words.json'], /list of rows/],
  'half an NPY': [['fit', 'ising', 'half.npy'], /half\.npy: is cut off/],
  'half an NPZ': [['fit', 'ising', 'half.npz'], /half\.npz: is cut off/],
  'which of two arrays': [['fit', 'ising', 'two.npz'], /--array: .*name one of a, b/],
  'an array that is not there': [['fit', 'ising', 'two.npz', '--array', 'c'], /no array 'c'/],
  'one dimension': [['fit', 'gaussian', 'flat.npy'], /shape \(3\); reshape/],
  'bits without their length': [['fit', 'ising', 'rows.bits'], /--dim: /],
  'bits of another length': [['fit', 'ising', 'rows.bits', '--dim', '20'], /--dim 20: .*20 bytes/],
  'an unknown format of rows': [['fit', 'ising', 'data.csv', '--from', 'xls'], /--from xls: give/],
  'columns of another number': [['energies', 'banana', 'data.csv'], /4 columns .* 2 dimensions/],
  'a formula without names': [
    ['energies', 'formula', 'numbers.csv', '--set', 'model.expression=x^2+y^2'],
    /model\.variables/,
  ],
  'two standard inputs': [['fit', '-', '-'], /MODEL and DATA: only one can be standard input/],
  'an unknown objective': [
    ['fit', 'ising', 'data.csv', '--set', 'objective.kind=x'],
    /objective\.kind: .*`mpf`/,
  ],
  'an unknown field': [['exact', 'model.json', '--set', 'colour=red'], /colour/],
  'no value': [['exact', 'model.json', '--set', 'colour'], /--set colour: write a field, =/],
  'half a value': [['exact', 'model.json', '--set', 'model.couplings=[1,2'], /is not JSON/],
  'a prototype to set': [['exact', 'model.json', '--set', '__proto__.x=1'], /'__proto__' is not/],
  'a prototype as a value': [
    ['exact', 'model.json', '--set', 'model={"__proto__":{}}'],
    /not JSON/,
  ],
  'a prototype in a model': [['exact', 'polluted.json'], /polluted\.json: has a field '__proto__'/],
  'a prototype in an archive': [['exact', 'proto.npz'], /'__proto__' is not/],
  'a field of a number': [
    ['exact', 'model.json', '--set', 'model.dim.x=1'],
    /model\.dim has no fields/,
  ],
  'data that are no model': [['exact', 'data.csv'], /data\.csv: is not JSON/],
  'a table as a model': [['exact', 'flat.npy'], /--set model\.PARAMETER=@flat\.npy/],
  'a program in a model': [['sample', 'custom.json'], /custom\.json: has a custom model/],
  'a program in a spec': [['sample', '--spec', 'spec.json'], /model\.url: name the module/],
  'draws that do not divide': [
    ['sample', 'model.json', ...n10, '--set', 'numChains=3'],
    /-n 10: .*3 chains/,
  ],
  'no format': [['sample', 'model.json', '-o', 'x.xls'], /x\.xls: .*csv, npy/],
  'a format without output': [['sample', 'model.json', '--format', 'npy'], /give -o FILE/],
  'bits of numbers': [['sample', 'banana', '-o', 'x.bits'], /--format bits: .*zeros and ones/],
  'several arrays in a table': [
    ['fit', 'rbm', 'data.csv', '-o', 'x.npy'],
    /--format npy: .*several/,
  ],
  'no table': [['logz', 'model.json', '-o', 'x.csv'], /logz gives no table/],
  'an output that cannot be': [
    ['exact', 'model.json', '-o', 'no/x.json'],
    /no\/x\.json: cannot be written/,
  ],
  'two things to print': [['exact', 'model.json', '-o', '-', '--json'], /--json: .*-o -/],
  'a checkpoint that is none': [
    ['logz', 'model.json', '--resume', 'data.csv'],
    /data\.csv: .*not an unnorm checkpoint/,
  ],
};

// All in one process, which is many times as fast as one each.
const DRIVER = `
import { command } from './node_modules/unnorm/dist/cli/command.js';
import { writeFileSync } from 'node:fs';
const outcomes = [];
for (const args of JSON.parse(process.argv[2])) {
  const outcome = { stdout: '', stderr: '' };
  const write = (name) => (text, done) => {
    outcome[name] += text;
    done?.();
    return true;
  };
  process.stdout.write = write('stdout');
  process.stderr.write = write('stderr');
  outcome.status = await command(args);
  outcomes.push(outcome);
}
writeFileSync('outcomes.json', JSON.stringify(outcomes));
`;

test('refused, in one sentence and before any work', async (t) => {
  writeFileSync(home.path('driver.mjs'), DRIVER);
  const all = Object.values(refusals).map(([args]) => args);
  home.node(['driver.mjs', JSON.stringify(all)]);
  const outcomes = JSON.parse(readFileSync(home.path('outcomes.json')));
  assert.equal(outcomes.length, all.length);
  for (const [at, [name, [, sentence]]] of Object.entries(refusals).entries()) {
    await t.test(name, () => {
      const { status, stdout, stderr } = outcomes[at];
      assert.equal(status, 2, stderr);
      assert.equal(stdout, '');
      assert.match(stderr, /^unnorm: .{10,}\n$/, 'one sentence, and no stack');
      assert.match(stderr, sentence);
    });
  }
  assert.ok(!existsSync(home.path('ran')), 'no program from a file has run');
});

test('the program ends with the status of the refusal', () => {
  const { status, stdout, stderr } = home.unnorm(['fit', 'ising', 'no.csv']);
  assert.deepEqual([status, stdout], [2, '']);
  assert.equal(stderr, 'unnorm: no.csv: there is no such file or folder\n');
});
