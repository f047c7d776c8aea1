/**
 * Who is ahead of whom on the same rows, and what of that may be concluded, against numbers worked out by hand.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, differenceOf, meanAndError, placesOf } from '../../www/lib/ranking.js';

const exact = (rows) => ({
  rows,
  logZError: 0,
  isExact: true,
  isGenerative: false,
  loss: 0,
  isDoubtful: false,
});
const annealed = (rows, more = {}) => ({ ...exact(rows), isExact: false, ...more });

test('mean and standard error of a few numbers', () => {
  // Of 1, 2, 6: mean 3, squares 4 + 1 + 9 = 14, over 2, over 3.
  const { mean, error } = meanAndError([1, 2, 6]);
  assert.equal(mean, 3);
  assert.ok(Math.abs(error - Math.sqrt(14 / 6)) < 1e-15);
});

test('what makes rows hard for both is not in the error of the difference; that of log Z is', () => {
  const hard = [-3, -30, -9, -17];
  const a = exact(hard.map((row, n) => row + 0.5 + 0.01 * (n % 2)));
  const { difference, error } = differenceOf(a, annealed(hard, { logZError: 0.2 }));
  assert.ok(Math.abs(difference - 0.505) < 1e-12);
  // The differences are 0.5, 0.51, 0.5, 0.51.
  assert.ok(Math.abs(error - Math.hypot(0.2, 0.005 * Math.sqrt(4 / 3 / 4))) < 1e-12);
});

test('a difference inside of its 95 % error is a tie, a larger one is not', () => {
  const rows = [0, 1, 2, 3];
  const other = (gap) =>
    annealed(
      rows.map((row) => row - gap),
      { logZError: 1 },
    );
  assert.equal(compare(exact(rows), other(1.95)).verdict, 'tie');
  assert.equal(compare(exact(rows), other(1.97)).verdict, 'ahead');
  assert.equal(compare(exact(rows), other(-1.97)).verdict, 'behind');
  assert.equal(compare(exact(rows), exact(rows)).verdict, 'tie');
  assert.equal(compare(exact(rows), exact(rows.map(() => Number.NaN))).verdict, 'tie');
});

test('a lead that annealing may have made is doubtful, one in spite of it is not', () => {
  const low = [0, 1, 2, 3];
  const high = low.map((row) => row + 1);
  const doubtful = { isDoubtful: true };
  const generative = { isGenerative: true };
  // log Z too small flatters a model of patches, and wrongs a generative one.
  assert.equal(compare(annealed(high, doubtful), exact(low)).verdict, 'doubtful');
  assert.equal(compare(exact(low), annealed(high, doubtful)).verdict, 'doubtful');
  assert.equal(compare(exact(high), annealed(low, doubtful)).verdict, 'ahead');
  const wronged = annealed(low, { ...generative, ...doubtful });
  assert.equal(compare(exact(high), wronged).verdict, 'doubtful');
  const leader = annealed(high, { ...generative, ...doubtful });
  assert.equal(compare(leader, exact(low)).verdict, 'ahead');
  // The same by as much as annealing favoured others, or loses of patches that are the model's own.
  assert.equal(compare(annealed(high), exact(low), 1.1).verdict, 'doubtful');
  assert.equal(compare(annealed(high), exact(low), 0.9).verdict, 'ahead');
  const loses = (loss) => annealed(low, { ...generative, loss });
  assert.equal(compare(exact(high), loses(1.1)).verdict, 'doubtful');
  assert.equal(compare(exact(high), loses(0.9)).verdict, 'ahead');
  assert.equal(compare(exact(high), loses(Number.POSITIVE_INFINITY)).verdict, 'doubtful');
  assert.equal(compare(loses(5), exact(low.map((row) => row - 1))).verdict, 'ahead');
  assert.equal(compare(exact(high), exact(low), 9).verdict, 'ahead');
});

test('places are ranges: above all that are behind, below all that are ahead', () => {
  const rows = [0, 1, 2, 3];
  const at = (gap, logZError) =>
    annealed(
      rows.map((row) => row + gap),
      { logZError },
    );
  const all = [at(3, 0.1), at(2.9, 0.1), at(1, 0.1), at(2, 0.7)];
  assert.deepEqual(placesOf(all), [
    { first: 1, last: 3 },
    { first: 1, last: 3 },
    { first: 3, last: 4 },
    { first: 1, last: 4 },
  ]);
});
