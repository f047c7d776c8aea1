/** The figures of the chapter *Structure*, and what it says of them. What the engine finds is in the test of the browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  factorsOf,
  NUM_COLUMNS,
  NUM_ROWS,
  STRUCTURES,
  tableOf,
  times,
} from '../../www/course/figures/made-of/made-of.js';
import { bitsTo, chainOf, nextOf, offersFor } from '../../www/course/figures/undo-a-rule/undo.js';
import { expressionText, search } from '../../www/lib/number-sequences.js';

const THESIS = [4, 13, 38, 87, 208];
const found = (numbers, keep) => search(numbers, keep).levels.at(-1).best;
const textOf = ({ productions }, numbers) => expressionText(productions, numbers.length);

test('by hand: the residues, and the scores of the thesis’s table', () => {
  const chain = chainOf(THESIS, ['cumsum', 'square', 'nthprime', '1:N']);
  assert.deepEqual(
    chain.map(({ residues }) => residues.at(-1)),
    [THESIS, [4, 9, 25, 49, 121], [2, 3, 5, 7, 11], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]],
  );
  const scores = [7.88e-15, 2.42e-14, 7.77e-10, 5.84e-9, 0.0016];
  chain.forEach(({ score }, n) => {
    assert.ok(Math.abs(score / scores[n] - 1) < 3e-3, `${score} ${scores[n]}`);
    if (n > 0) assert.ok(bitsTo(score) < bitsTo(chain[n - 1].score));
  });
  assert.deepEqual(nextOf(chain.at(-1)), { next: 377 });
  assert.deepEqual(offersFor(chain.at(-1)), []);
  assert.equal(offersFor(chain[0]).filter(({ made }) => made).length, 1);
  assert.equal(chainOf(THESIS, ['square']).length, 1);
});

test('a search that keeps the best goes astray after the squares, one that keeps two finds 377', () => {
  assert.equal(textOf(found(THESIS, 1), THESIS), 'cumsum(square(cumsum(R)))');
  assert.equal(textOf(found(THESIS, 2), THESIS), 'cumsum(square(nthprime(1:5)))');
});

test('of powers of two the search says 34 to 49, at 39.6 bits as they stand', () => {
  const powers = [1, 2, 4, 8, 16, 32];
  assert.equal(textOf(found(powers, 2), powers), 'cumsum(R)');
  const { low, high } = nextOf(found(powers, 2));
  assert.deepEqual([low, high], [34, 49]);
  assert.equal(bitsTo(chainOf(powers, [])[0].score).toFixed(1), '39.6');
});

test('1, 10, 46, 146 has an explanation whose first step costs more than it saves', () => {
  const numbers = [1, 10, 46, 146];
  const chain = chainOf(numbers, ['cumsum', 'square', 'cumsum', '1:N']);
  assert.equal(chain.length, 5);
  assert.ok(chain[1].score < chain[0].score);
  assert.ok(chain[4].score > 1e6 * chain[0].score);
  for (const keep of [1, 2, 5]) assert.equal(textOf(found(numbers, keep), numbers), 'R');
});

/** Pairs of equal rows among all. */
function numTwins({ values, numRows, numColumns }) {
  const rows = Array.from({ length: numRows }, (_, row) =>
    values.slice(row * numColumns, (row + 1) * numColumns).join(),
  );
  return numRows - new Set(rows).size;
}

test('without noise a table is the product of its factors, scaled; shuffled, too', () => {
  for (const { text } of STRUCTURES.slice(1)) {
    for (const isShuffled of [false, true]) {
      const { table, factors } = tableOf(text, 0, 3, isShuffled);
      assert.deepEqual([table.numRows, table.numColumns], [NUM_ROWS, NUM_COLUMNS]);
      const product = factors.map(({ matrix }) => matrix).reduce(times);
      const scale = table.values[0] / product.values[0];
      product.values.forEach((value, at) => {
        assert.ok(Math.abs(scale * value - table.values[at]) < 1e-9, text);
      });
      const meanSquare = table.values.reduce((sum, v) => sum + v * v, 0) / table.values.length;
      assert.ok(Math.abs(meanSquare - 1) < 1e-9);
    }
  }
  assert.deepEqual(factorsOf('G', 1), []);
});

test('clusters make rows of three kinds, of columns too where they are of both, factors and walks none alike', () => {
  const table = (text) => tableOf(text, 0, 1, true).table;
  assert.equal(numTwins(table('MG + G')), NUM_ROWS - 3);
  assert.equal(numTwins(table('M(GMᵀ + G) + G')), NUM_ROWS - 3);
  for (const text of ['GG + G', 'CG + G', 'G']) assert.equal(numTwins(table(text)), 0, text);
  const { factors } = tableOf('M(GMᵀ + G) + G', 0, 1, true);
  const kinds = factors[2].matrix;
  for (let column = 0; column < NUM_COLUMNS; column++) {
    let sum = 0;
    for (let k = 0; k < 3; k++) sum += kinds.values[k * NUM_COLUMNS + column];
    assert.equal(sum, 1);
  }
});

test('sorted, clusters stand together', () => {
  const { factors } = tableOf('MG + G', 0, 1, false);
  const [{ matrix }] = factors;
  const clusters = Array.from({ length: NUM_ROWS }, (_, row) =>
    matrix.values.slice(3 * row, 3 * row + 3).indexOf(1),
  );
  assert.deepEqual(
    clusters,
    [...clusters].sort((a, b) => a - b),
  );
  assert.equal(new Set(clusters).size, 3);
});
