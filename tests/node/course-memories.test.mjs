/** The figures of the chapter *Memories* against the engine, and what it says of them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endsOf, LETTERS, picturesOf } from '../../www/course/figures/memory-blends/blends.js';
import {
  NUM_SETS,
  NUMBERS,
  partOfOuterProducts,
  partStored,
  patternsOf,
  UNITS,
} from '../../www/course/figures/memory-capacity/capacity.js';
import {
  DIM,
  damaged,
  fallFrom,
  marginOf,
  nameOf,
  SIDE,
  STORED,
  stateAfter,
} from '../../www/course/figures/memory-falls/falls.js';
import { distance, inverted } from '../../www/lib/bit-pictures.js';
import { outerProduct } from '../../www/lib/hopfield.js';
import { letterPicture } from '../../www/lib/letters.js';
import { createEngine } from './package.mjs';

let engine;
before(async () => {
  engine = await createEngine({ numWorkers: 1 });
});
after(() => engine.close());

/** What the engine makes of packed patterns of 64 bits. */
function memorize(rows, kind) {
  const patterns = { kind: 'bits', dim: DIM, numRows: rows.length / (DIM / 8), bits: rows };
  return engine.memorize({ model: { kind: 'ising', dim: DIM }, patterns, rule: { kind }, seed: 1 });
}

const packed = (pictures) => Uint8Array.from(pictures.flatMap((bits) => [...bits]));
const endOf = (cue) => stateAfter(cue, fallFrom(cue).sites, Number.POSITIVE_INFINITY);

test('outer products are the engine’s, to the last bit', async () => {
  const pictures = picturesOf(7);
  const { model } = await memorize(packed(pictures), 'outerProduct');
  assert.deepEqual([...outerProduct(pictures, DIM)], [...model.params]);
});

test('the three letters are strict minima, and the energy falls at every flip to one of them', () => {
  for (const letter of STORED) assert.ok(marginOf(letterPicture(letter, SIDE)) > 0, letter);
  const cue = damaged('A', 14);
  assert.equal(distance(cue, letterPicture('A', SIDE)), 14);
  const { energies, sites } = fallFrom(cue);
  assert.equal(energies.length, sites.length + 1);
  energies.slice(1).forEach((energy, n) => {
    assert.ok(energy <= energies[n]);
  });
  assert.deepEqual(nameOf(endOf(cue)), { text: 'the letter {letter}', letter: 'A' });
});

test('an X with six bits damaged comes to rest where nobody stored anything', () => {
  assert.deepEqual(nameOf(endOf(damaged('X', 6))), { text: 'a state that nobody stored' });
});

test('the negative of a letter stays, and lies as low as the letter', () => {
  const letter = letterPicture('A', SIDE);
  const cue = damaged('A', DIM);
  assert.deepEqual(cue, inverted(letter));
  const { sites, energies } = fallFrom(cue);
  assert.equal(sites.length, 0);
  assert.equal(energies[0], fallFrom(letter).energies[0]);
  assert.deepEqual(nameOf(cue), {
    text: 'the negative of {letter}, which nobody stored',
    letter: 'A',
  });
});

test('outer products keep three letters, not four, and blend ten into one; flow keeps all ten', async () => {
  const found = (number) => {
    const pictures = picturesOf(number);
    return endsOf(outerProduct(pictures, DIM), pictures);
  };
  assert.equal(found(3).numStored, 3);
  assert.equal(found(4).numStored, 0);
  const ten = found(LETTERS.length);
  assert.equal(LETTERS.length, 10);
  assert.deepEqual([ten.numStored, ten.numStates], [0, 1]);
  const pictures = picturesOf(LETTERS.length);
  const { model } = await memorize(packed(pictures), 'mpf');
  assert.equal(endsOf(model.params, pictures).numStored, LETTERS.length);
});

test('parts of random patterns that stay are the engine’s', async () => {
  for (const numPatterns of [8, 16, 24]) {
    let sum = 0;
    for (let set = 0; set < NUM_SETS; set++) {
      const rows = patternsOf(numPatterns, set);
      const { margins } = await memorize(rows, 'outerProduct');
      sum += margins.filter((margin) => margin > 0).length / numPatterns;
    }
    assert.ok(Math.abs(partOfOuterProducts(numPatterns) - sum / NUM_SETS) < 1e-12);
  }
  const rows = patternsOf(UNITS, 0);
  const { model } = await memorize(rows, 'mpf');
  assert.equal(partStored(model.params, rows), 1);
  assert.equal(partOfOuterProducts(UNITS), 0);
  assert.ok(NUMBERS.includes(UNITS));
});

test('64 units have 2,016 couplings', () => {
  assert.equal(outerProduct([], UNITS).length - UNITS, 2016);
});
