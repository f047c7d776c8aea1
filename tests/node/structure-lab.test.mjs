// What the lab "Structure search" does besides the search: texts taken apart and said in words, tables sorted and made, the tree.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMeansForZeros } from '../../www/lib/own-table.js';
import * as tables from '../../www/lib/structured-tables.js';
import { siteModule } from './site-module.mjs';

const { parse, structureWords, tokensOf } = await siteModule('labs/structure-search/expression.ts');
const { arrange } = await siteModule('labs/structure-search/order.ts');
const { treeOf } = await siteModule('labs/structure-search/tree.ts');

test('a text is taken apart with its letters in order', () => {
  assert.deepEqual(parse('M(GMᵀ + G) + exp(G) ∘ G'), {
    kind: 'sum',
    terms: [
      {
        left: { letter: 'M', place: 0 },
        right: {
          kind: 'sum',
          terms: [
            {
              left: { kind: 'gaussian', leaf: { letter: 'G', place: 1 } },
              right: { letter: 'M', place: 2 },
            },
          ],
          noise: { kind: 'gaussian', leaf: { letter: 'G', place: 3 } },
        },
      },
    ],
    noise: {
      kind: 'scale',
      of: { kind: 'gaussian', leaf: { letter: 'G', place: 4 } },
      leaf: { letter: 'G', place: 5 },
    },
  });
  assert.deepEqual(tokensOf('(MG + G)Mᵀ + G').slice(-4), [')', 'Mᵀ', '+', 'G']);
  for (const wrong of ['M', 'MG', 'MG + ', '(MG + G', 'exp(G)', 'G + G', 'MG + G)', 'M + G', '']) {
    assert.throws(() => parse(wrong), /is no structure/, wrong);
  }
});

test('structures are said in words', () => {
  for (const [text, words] of [
    ['G', 'nothing but independent noise'],
    ['MG + G', 'clusters of rows'],
    ['GMᵀ + G', 'clusters of columns'],
    ['GG + G', 'low rank'],
    ['BG + G', 'overlapping attributes of rows'],
    ['CG + G', 'random walks down the columns'],
    ['GCᵀ + G', 'random walks along the rows'],
    ['exp(G) ∘ G', 'entries with scales of their own'],
    ['(MG + G)Mᵀ + G', 'co-clustering, clusters of rows and of columns'],
    ['M(GG + G) + G', 'clusters of rows, whose centres have low rank'],
    ['MG + GBᵀ + G', 'clusters of rows, plus overlapping attributes of columns'],
    ['CG + exp(G) ∘ G', 'random walks down the columns, plus noise with scales of its own'],
    ['(BG + G)G + G', 'low rank, with scores of the rows that have overlapping attributes of rows'],
  ]) {
    assert.equal(structureWords(text), words, text);
  }
});

const matrix = (letter, numCols, values, isTransposed = false) => ({
  letter,
  isTransposed,
  numRows: values.length / numCols,
  numCols,
  values: Float64Array.from(values),
});

test('clusters make a staircase, and the table is in blocks', () => {
  // Rows 0, 2 in the first cluster, columns 1, 2 too.
  const matrices = [
    matrix('M', 2, [1, 0, 0, 1, 1, 0]),
    matrix('G', 2, [10, 20, 30, 40]),
    matrix('M', 2, [0, 1, 1, 0, 1, 0, 0, 1], true),
    matrix('G', 4, [0, 1, 2, 3, 4, 5, 6, 7]),
    matrix('G', 4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
  ];
  const found = arrange(parse('M(GMᵀ + G) + G'), matrices, 3, 4);
  assert.deepEqual(found.rows, [0, 2, 1]);
  assert.deepEqual(found.columns, [1, 2, 0, 3]);
  assert.deepEqual([found.rowsBy, found.columnsBy], ['M', 'M']);
  const [rows, blocks, columns, inner, noise] = found.matrices.map(({ values }) => [...values]);
  assert.deepEqual(rows, [1, 0, 1, 0, 0, 1]);
  assert.deepEqual(blocks, [10, 20, 30, 40]);
  assert.deepEqual(columns, [1, 1, 0, 0, 0, 0, 1, 1]);
  assert.equal(found.matrices[2].numRows, 2);
  assert.deepEqual(inner, [1, 2, 0, 3, 5, 6, 4, 7]);
  assert.deepEqual(noise, [1, 2, 0, 3, 9, 10, 8, 11, 5, 6, 4, 7]);
});

test('factors sort by the strongest, and walks keep the order of the table', () => {
  const scores = matrix('G', 2, [0.1, 3, -0.1, 9, 0.2, -5]);
  const loadings = matrix('G', 2, [1, 2, 0, 0]);
  const noise = matrix('G', 2, [0, 1, 2, 3, 4, 5]);
  const low = arrange(parse('GG + G'), [scores, loadings, noise], 3, 2);
  assert.deepEqual(
    [low.rows, low.columns],
    [
      [1, 0, 2],
      [1, 0],
    ],
  );
  assert.deepEqual([...low.matrices[2].values], [3, 2, 1, 0, 5, 4]);
  const sums = matrix('C', 3, [1, 0, 0, 1, 1, 0, 1, 1, 1]);
  const walks = arrange(parse('CG + G'), [sums, noise, noise], 3, 2);
  assert.deepEqual(
    [walks.rows, walks.columns, walks.rowsBy, walks.columnsBy],
    [[0, 1, 2], [0, 1], 'C', 'C'],
  );
  assert.deepEqual([...walks.matrices[0].values], [...sums.values]);
  // Also where there are clusters beside them.
  const clusters = matrix('M', 2, [0, 1, 1, 0, 0, 1]);
  const centres = matrix('G', 2, [1, 2, 3, 4]);
  const both = arrange(parse('CG + MG + G'), [sums, noise, clusters, centres, noise], 3, 2);
  assert.deepEqual([both.rows, both.rowsBy], [[0, 1, 2], 'C']);
});

test('the tree sorts levels by score and lights the way to what is found', () => {
  const candidate = (text, score, parent) => ({ text, score, parent, gainError: 0.1 });
  const levels = [
    { candidates: [candidate('G', -10)] },
    { candidates: [candidate('GG + G', -8, 0), candidate('MG + G', -5, 0)] },
    { candidates: [candidate('a', -3, 0), candidate('b', -2.5, 0), candidate('c', -4, 1)] },
    { candidates: [candidate('d', -2.4, 1)] },
  ];
  const { levels: nodes, path } = treeOf(levels);
  assert.deepEqual(
    nodes[1].map(({ text }) => text),
    ['MG + G', 'GG + G'],
  );
  // The last level does not gain enough; the best of the one before is made of the second of its parents.
  assert.deepEqual(
    path.map(({ text }) => text),
    ['G', 'GG + G', 'b'],
  );
  assert.deepEqual([path[2].gain, path[2].step, path[2].parent], [7.5, 5.5, 1]);
  assert.deepEqual(
    nodes[2].map(({ isOnPath }) => isOnPath),
    [true, false, false],
  );
  assert.equal(nodes[3][0].parent, 0);
  assert.deepEqual(treeOf([]), { levels: [], path: [] });
});

test('tables are made with entries of variance 1 beside the noise', () => {
  const others = ['noisyTable', 'noisyRows'];
  const makers = Object.entries(tables).filter(([name]) => !others.includes(name));
  assert.equal(makers.length, 5);
  for (const [name, make] of makers) {
    const variances = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
      const { states, dim } = make(0.5, seed);
      assert.equal(states.length, 40 * dim);
      return states.reduce((sum, value) => sum + value * value, 0) / states.length;
    });
    const mean = variances.reduce((sum, value) => sum + value, 0) / variances.length;
    const expected = name === 'noiseAlone' ? 0.5 : 1.5;
    // Of the least certain, with 16 blocks in each of 8 tables, the standard error is 0.13.
    assert.ok(Math.abs(mean - expected) < 0.65, `${name}: ${mean}`);
  }
  assert.deepEqual(tables.coClustered(1, 3), tables.coClustered(1, 3));
  assert.notDeepEqual(tables.coClustered(1, 3), tables.coClustered(1, 4));
});

test('a table of the world is standardized before noise is added, and columns without variance stay so', () => {
  const rows = [
    [1, 10, 5],
    [2, 10, 7],
    [3, 10, 9],
  ];
  const deviation = Math.sqrt(2 / 3);
  const { states, dim } = tables.noisyRows(rows, 'columns', 0, 1);
  assert.equal(dim, 3);
  const expected = [-1, 0, -2, 0, 0, 0, 1, 0, 2].map((x, at) =>
    at % 3 === 2 ? x / (2 * deviation) : x / deviation,
  );
  for (const [at, value] of states.entries()) assert.ok(Math.abs(value - expected[at]) < 1e-12);
  const whole = tables.noisyRows(rows, 'whole', 0, 1).states;
  assert.ok(Math.abs(whole.reduce((sum, x) => sum + x, 0)) < 1e-12);
  assert.ok(Math.abs(whole.reduce((sum, x) => sum + x * x, 0) - 9) < 1e-12);
  assert.ok(whole[1] === whole[4] && whole[1] > whole[0]);

  const many = Array.from({ length: 500 }, () => Array.from({ length: 40 }, () => 0));
  const noise = tables.noisyRows(many, 'columns', 4, 1).states;
  const variance = noise.reduce((sum, x) => sum + x * x, 0) / noise.length;
  // 20,000 of them: its standard error is 0.04.
  assert.ok(Math.abs(variance - 4) < 0.25, `${variance}`);
});

test('votes that were not cast are the mean of the others', () => {
  assert.deepEqual(
    withMeansForZeros([
      [1, 1, 0],
      [-1, 0, 0],
      [1, 1, 0],
    ]),
    [
      [1, 1, 0],
      [-1, 1, 0],
      [1, 1, 0],
    ],
  );
  const [[first]] = withMeansForZeros([[0], [1], [1], [-1]]);
  assert.ok(Math.abs(first - 1 / 3) < 1e-15);
});
