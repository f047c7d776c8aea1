/** What the lab Evidence race makes of the numbers: scales, orders, errors, plans, and tables of one's own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logMeanExp } from '../../www/lib/log-mean-exp.js';
import { centred, rowsOfText } from '../../www/lib/own-table.js';
import { siteModule, siteModules } from './site-module.mjs';

const { symmetricRange, symmetricSplits } = await siteModule('pictures/symmetric.ts');
const { explain, reordered } = await siteModule('labs/evidence-race/order.ts');
const { meanAndSd, pointsOf, truthOf, worthOf } = await siteModules(
  'labs/evidence-race/standing.ts',
  'lib/log-mean-exp.js',
);
const { LINE_IDS, planOf } = await siteModule('labs/evidence-race/estimators.ts');

test('an axis for either sign has 0 and powers of ten, and ends at such powers', () => {
  assert.deepEqual(symmetricRange(-240, 7, 0.1), [-1000, 10]);
  assert.deepEqual(symmetricRange(-0.01, 1000, 0.1), [-0.1, 1000]);
  assert.deepEqual(symmetricRange(3, 5, 0.1), [-0.1, 10]);
  assert.deepEqual(symmetricRange(null, null, 0.1), [-1000, 1000]);
  assert.deepEqual(symmetricSplits(-100, 10, 0.1), [-100, -10, -1, -0.1, 0, 0.1, 1, 10]);
  assert.deepEqual(symmetricSplits(-1, 1, 1), [-1, 0, 1]);
});

test('rows are sorted by clusters, the largest first, and Z · A is the centre of each row', () => {
  const draw = { hidden: [2, 0, 2, 1, 2, 1], features: [1, 2, 3, 4, 5, 6] };
  const { rows, hidden, features, product } = explain(draw, 'clustering', 6, 2);
  assert.deepEqual(rows, [0, 2, 4, 3, 5, 1]);
  assert.deepEqual([...hidden.values.slice(0, 3)], [1, 0, 0]);
  assert.deepEqual([...features.values], [5, 6, 3, 4, 1, 2]);
  assert.deepEqual([...product.values], [5, 6, 5, 6, 5, 6, 3, 4, 3, 4, 1, 2]);
});

test('rows are sorted by attributes and factors, and Z · A is their sum in the order shown', () => {
  const features = [1, 0, 10, 10];
  const attributes = explain({ hidden: [0, 1, 1, 0, 1, 1], features }, 'binaryAttributes', 3, 2);
  // The second attribute has the larger part: the rows that have it come first, those with both before.
  assert.deepEqual(attributes.rows, [2, 0, 1]);
  assert.deepEqual([...attributes.features.values], [10, 10, 1, 0]);
  assert.deepEqual([...attributes.product.values], [11, 10, 10, 10, 1, 0]);
  const factors = explain({ hidden: [0, -1, 0, 2, 0, 1], features }, 'lowRank', 3, 2);
  assert.deepEqual(factors.rows, [1, 2, 0]);
  assert.deepEqual([...factors.product.values], [20, 20, 10, 10, -10, -10]);
  assert.deepEqual([...reordered([1, 2, 3, 4, 5, 6], 2, factors.rows)], [3, 4, 5, 6, 1, 2]);
});

const job = (lines, size) => ({ lines, size, estimator: {}, work: 1 });
const anneal = (size, there, back) => ({
  job: job(['forward', 'reverse'], size),
  seconds: 8,
  result: {
    trials: there,
    reverse: { trials: back, logZ: { value: -7 } },
    bounds: { lower: -14, upper: -5, failureProbability: 0.025, boundIsCertified: true },
    warnings: [],
  },
});

test('errors are against the middle of the longest annealing, of whichever came last', () => {
  const made = [anneal(300, [-10, -10], [-8, -6]), anneal(30, [-90, -90], [1, 1])];
  const truth = truthOf(made);
  assert.deepEqual(
    [truth.size, truth.middle, truth.lower, truth.confidence],
    [300, -8.5, -14, 0.95],
  );
  assert.equal(truthOf([]), undefined);
  const harmonic = {
    job: job(['harmonic'], 100),
    seconds: 1,
    result: { trials: [70, 74], logZ: 71 },
  };
  const [point] = pointsOf('harmonic', [...made, harmonic], truth);
  assert.deepEqual([point.error, point.combined, point.seconds], [80.5, 71, 0.5]);
  assert.ok(Math.abs(point.sd - Math.sqrt(8)) < 1e-12);
  // Half of eight seconds and two trials, from short to long.
  const forward = pointsOf('forward', made, truth);
  assert.deepEqual(
    forward.map(({ size, error, combined, seconds }) => [size, error, combined, seconds]),
    [
      [30, -81.5, -90, 2],
      [300, -1.5, -10, 2],
    ],
  );
  assert.equal(pointsOf('reverse', made, truth)[1].error, 1.5);
  assert.deepEqual(pointsOf('harmonic', [harmonic], undefined), []);
});

test('logs of means do not overflow, and the words are those of Kass and Raftery', () => {
  assert.ok(Math.abs(logMeanExp([-2000, -2000 + Math.log(3)]) - (-2000 + Math.log(2))) < 1e-12);
  assert.deepEqual(meanAndSd([1, 3]), { mean: 2, sd: Math.SQRT2 });
  assert.deepEqual(
    [1, 10 ** 0.6, 50, 200].map((ratio) => worthOf(-Math.log(ratio))),
    ['not worth more than a bare mention', 'substantial', 'strong', 'decisive'],
  );
});

test('a plan begins with annealing, has every line, grows, and stays below the longest', () => {
  const plan = planOf({ longest: 300, trials: 4 }, 12);
  assert.deepEqual(plan[0].estimator, { kind: 'annealing', numDistributions: 30, reverse: true });
  const works = plan.slice(1).map(({ work }) => work);
  assert.deepEqual(
    works,
    [...works].sort((a, b) => a - b),
  );
  assert.deepEqual(new Set(plan.flatMap(({ lines }) => lines)), new Set(LINE_IDS));
  const annealing = plan.filter(({ lines }) => lines.includes('forward'));
  assert.deepEqual(
    annealing.map(({ size }) => size),
    [30, 100, 300],
  );
});

test('a table of numbers is read with or without a head, and refused with the place', () => {
  const rows = [
    [1, 2.5],
    [-3, 4e2],
  ];
  for (const text of ['1,2.5\n-3,4e2\n', '\uFEFFa;b\r\n1; 2.5\r\n-3;4e2', ' 1 2.5\n\n-3\t400 ']) {
    assert.deepEqual(rowsOfText(text), rows);
  }
  assert.throws(() => rowsOfText('1,2\n3,x'), /Line 2, column 2 is not a number/);
  assert.throws(() => rowsOfText('a,b\n1,2\n3'), /Line 3 has 1 numbers where the first has 2/);
  assert.throws(() => rowsOfText('1,2\n3,'), /Line 2, column 2/);
});

test('the means of the columns are gone, and the mean of all squares is 1', () => {
  assert.deepEqual(
    centred([
      [0, 10],
      [2, 14],
    ]).map((value) => value * Math.sqrt(2.5)),
    [-1, -2, 1, 2],
  );
  assert.throws(
    () =>
      centred([
        [1, 2],
        [1, 2],
      ]),
    /All rows are the same/,
  );
});
