/**
 * Potts models from alignment to ranking: readers and packers of values, strengths of couplings, and
 * a fit.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { uniforms } from './data.mjs';
import { couplingStrengths, createEngine, formats, UnnormError } from './package.mjs';

const { AMINO_ACIDS, packValues, readFasta, unpackValues } = formats;

const engine = await createEngine();
after(() => engine.close());

const bytes = (text) => new TextEncoder().encode(text);

/** What an error of invalid data says. */
function refusal(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof UnnormError, error.stack);
    assert.equal(error.code, 'invalid-data');
    return error.message;
  }
  assert.fail('not refused');
}

test('values come back from their bits', () => {
  const uniform = uniforms(3);
  for (const [numSites, numValues] of [
    [1, 2],
    [7, 21],
    [4, [2, 5, 3, 9]],
  ]) {
    const count = (site) => (typeof numValues === 'number' ? numValues : numValues[site]);
    const values = Array.from({ length: 30 * numSites }, (_, at) =>
      Math.floor(uniform.next().value * count(at % numSites)),
    );
    const data = packValues(values, numSites, numValues);
    assert.equal(data.numRows, 30);
    assert.deepEqual([...unpackValues(data, numSites, numValues)], values);
  }
});

test('values that are none are refused by row and site', () => {
  assert.match(
    refusal(() => packValues([0, 1, 2, 3], 2, 3)),
    /^values\[3\]: is 3 \(row 1, site 1\); values of this site are 0 to 2$/,
  );
  for (const value of [-1, 0.5, Number.NaN, '1', undefined, 2 ** 40]) {
    assert.match(
      refusal(() => packValues([value], 1, 3)),
      /^values\[0\]/,
    );
  }
  assert.match(
    refusal(() => packValues([0, 1, 2], 2, 3)),
    /^values: has 3 entries/,
  );
  assert.match(
    refusal(() => packValues([], 2, 3)),
    /^values: /,
  );
  for (const numValues of [1, 0, 1e9, 2.5, Number.NaN, undefined, [2], [2, 1]]) {
    assert.match(
      refusal(() => packValues([0, 0], 2, numValues ?? Number.NaN)),
      /^numValues/,
    );
  }
  for (const numSites of [0, -1, 1.5, 2 ** 31, Infinity]) {
    assert.match(
      refusal(() => packValues([0], numSites, 2)),
      /^numSites/,
    );
  }
  const data = packValues([0, 1], 2, 3);
  data.bits[0] = 0b11;
  assert.match(
    refusal(() => unpackValues(data, 2, 3)),
    /^bits: have 2 on for site 0 in row 0/,
  );
  assert.match(
    refusal(() => unpackValues(data, 3, 3)),
    /^dim: is 6/,
  );
  assert.match(
    refusal(() => unpackValues({ ...data, numRows: 1e9 }, 2, 3)),
    /^bits: /,
  );
});

test('alignments are read, without insertions, and unknown letters as gaps', () => {
  const text = '>first one\nACD\n-Y\n\n>second\r\nA.bCXWYcc\r\n>\rA-CDE';
  const { names, numSites, numValues, values } = readFasta(bytes(text));
  assert.deepEqual(names, ['first one', 'second', '']);
  assert.deepEqual([numSites, numValues], [5, 21]);
  const letters = [...values].map((value) => AMINO_ACIDS[value]).join('');
  assert.equal(letters, 'ACD-YAC-WYA-CDE');
  const dna = readFasta(bytes('>a\nACGT-N'), { alphabet: '-ACGT' });
  assert.deepEqual([...dna.values], [1, 2, 3, 4, 0, 0]);
});

test('what is no alignment is refused by line and column', () => {
  const refused = (text, options) => refusal(() => readFasta(bytes(text), options));
  assert.match(refused('>a\nAC\n>b\nACD\n'), /^bytes: the sequence of line 3 has 3 columns/);
  assert.match(refused('AC\n>b\n'), /^bytes: line 1 comes before any name/);
  assert.match(refused(''), /^bytes: has no sequences/);
  assert.match(refused('>a\n>b\nA'), /^bytes: line 1 begins a sequence without/);
  assert.match(refused('>a\nabc'), /^bytes: line 1 begins a sequence without/);
  assert.match(refused('>a\nAC1D'), /^bytes: line 2, column 3 is '1'; the letters are -ACD/);
  assert.match(refused('>a\nACX', { unknown: 'refuse' }), /^bytes: line 2, column 3 is 'X'/);
  assert.match(refused('>a\nACX', { alphabet: 'AC' }), /^bytes: line 2, column 3 is 'X'/);
  for (const alphabet of ['A', 'AA', 'aC', 'A C', '', 5]) {
    assert.match(refused('>a\nA', { alphabet }), /^alphabet: /);
  }
  assert.match(refused('>a\nA', { unknown: 'X' }), /^unknown: /);
  assert.match(
    refusal(() => readFasta(Uint8Array.of(0x3e, 0x0a, 0xff, 0xfe, 0))),
    /^bytes: is not text/,
  );
});

test('damaged alignments are read or refused in a sentence', () => {
  const uniform = uniforms(4);
  const below = (n) => Math.floor(uniform.next().value * n);
  const sound = bytes('>one\nACDEF\n>two\nAC-EF\n>three\nACDEX\n');
  for (let trial = 0; trial < 500; trial++) {
    const damaged = sound.slice(0, below(sound.length + 1));
    for (let n = 0; n < 3 && damaged.length > 0; n++) damaged[below(damaged.length)] = below(256);
    let alignment;
    try {
      alignment = readFasta(damaged);
    } catch (error) {
      assert.ok(error instanceof UnnormError, error.stack);
      assert.match(error.message, /^bytes: .{10}/);
      continue;
    }
    const { names, numSites, values } = alignment;
    assert.equal(values.length, names.length * numSites);
    assert.ok(values.every((value) => value < 21));
  }
});

test('strengths are norms in the zero-sum gauge', () => {
  const pattern = {
    kind: 'pairs',
    pairs: [
      [0, 2],
      [0, 1],
    ],
  };
  const model = { kind: 'potts', numSites: 3, numValues: [2, 2, 3], pattern };
  // Of J₀₁, [[1, -1], [-1, 1]] plus what fields may take; of J₀₂, such terms alone.
  const couplings = [1 + 5, -1 + 5, -1 - 2, 1 - 2, 1, 2, 4, 2, 3, 5];
  const strengths = couplingStrengths({ ...model, couplings });
  assert.deepEqual(
    strengths.map(({ i, j }) => [i, j]),
    [
      [0, 1],
      [0, 2],
    ],
  );
  assert.ok(Math.abs(strengths[0].strength - 2) < 1e-14);
  assert.ok(strengths[1].strength < 1e-14);
});

test('the pairs of lattices are those that the energy couples', async () => {
  for (const [numSites, numPairs, pattern] of [
    [12, 9 + 8, { kind: 'lattice', numRows: 3, numCols: 4 }],
    [12, 24, { kind: 'lattice', numRows: 4, numCols: 3, periodic: true }],
    [12, 9 + 8 + 6, { kind: 'triangular', numRows: 3, numCols: 4 }],
    [12, 36, { kind: 'triangular', numRows: 4, numCols: 3, periodic: true }],
    [12, 6 + 8 + 6, { kind: 'cubic', numLayers: 2, numRows: 3, numCols: 2 }],
    [60, 180, { kind: 'cubic', numLayers: 3, numRows: 4, numCols: 5, periodic: true }],
  ]) {
    // Where two coupled sites both have their first value, the energy says which pair they are.
    const couplings = Array.from({ length: numPairs }, (_, pair) => [pair + 1, 0, 0, 0]).flat();
    const model = { kind: 'potts', numSites, numValues: 2, pattern, couplings };
    const strengths = couplingStrengths(model).reverse();
    assert.equal(strengths.length, numPairs);
    const states = strengths.flatMap(({ i, j }) =>
      Array.from({ length: numSites }, (_, site) => (site === i || site === j ? [1, 0] : [0, 1])),
    );
    const { energies } = await engine.energies({ model, states: states.flat() });
    assert.deepEqual(
      Array.from(energies),
      strengths.map((_, pair) => -(pair + 1)),
      JSON.stringify(pattern),
    );
  }
});

test('the average product correction takes away what sites share with all others', () => {
  // Norms that are products of numbers of sites: nothing is left, as F_ij = F_i F_j / F then nearly.
  const numSites = 40;
  const couplings = [];
  for (let i = 0; i < numSites; i++) {
    for (let j = i + 1; j < numSites; j++) {
      const size = (1 + (i % 3)) * (1 + (j % 3)) + (i === 3 && j === 17 ? 2 : 0);
      couplings.push(size / 2, -size / 2, -size / 2, size / 2);
    }
  }
  const model = { kind: 'potts', numSites, numValues: 2, couplings };
  const plain = couplingStrengths(model);
  assert.notDeepEqual([plain[0].i, plain[0].j], [3, 17]);
  const corrected = couplingStrengths(model, { averageProductCorrection: true });
  assert.deepEqual([corrected[0].i, corrected[0].j], [3, 17]);
  assert.ok(corrected[0].strength > 1.5 && Math.abs(corrected[1].strength) < 0.5);
});

test('strengths of what is no Potts model are refused by field', () => {
  const model = { kind: 'potts', numSites: 3, numValues: 2, couplings: Array(12).fill(0) };
  assert.equal(couplingStrengths(model).length, 3);
  for (const [changes, field] of [
    [{ kind: 'ising' }, 'model'],
    [{ numSites: 0 }, 'model.numSites'],
    [{ numSites: 2 ** 30 }, 'model.numSites'],
    [{ numValues: 1 }, 'model.numValues'],
    [{ numValues: [2, 2] }, 'model.numValues'],
    [{ numValues: undefined }, 'model.numValues'],
    [{ couplings: undefined }, 'model.couplings'],
    [{ couplings: [0] }, 'model.couplings'],
  ]) {
    const message = refusal(() => couplingStrengths({ ...model, ...changes }));
    assert.ok(message.startsWith(`${field}: `), message);
  }
  assert.match(
    refusal(() => couplingStrengths(null)),
    /^model: /,
  );
});

test('a fit to an alignment finds the columns that go together', async () => {
  // Column 3 repeats column 0; all others are independent.
  const uniform = uniforms(5);
  const lines = Array.from({ length: 400 }, (_, row) => {
    const letters = Array.from({ length: 6 }, () => 'ACDE'[Math.floor(uniform.next().value * 4)]);
    if (uniform.next().value < 0.8) letters[3] = letters[0];
    return `>${row}\n${letters.join('')}`;
  });
  const { values, numSites, numValues } = readFasta(bytes(lines.join('\n')));
  const fit = await engine.fit({
    model: { kind: 'potts', numSites, numValues },
    data: { kind: 'bits', ...packValues(values, numSites, numValues) },
    objective: { kind: 'pseudolikelihood' },
    regularizer: { kind: 'l2', strength: 0.01, includeBiases: true },
    seed: 1,
  });
  assert.ok(fit.converged);
  const [first, second] = couplingStrengths(fit.model);
  assert.deepEqual([first.i, first.j], [0, 3]);
  // Twice as strong as the strongest that 400 rows leave of independent columns.
  assert.ok(first.strength > 1.5 * second.strength);
  const { draws } = await engine.sample({
    model: fit.model,
    transition: { kind: 'gibbs' },
    numChains: 10,
    numWarmup: 20,
    numDraws: 5,
    seed: 1,
  });
  assert.equal(unpackValues(draws, numSites, numValues).length, 50 * numSites);
});
