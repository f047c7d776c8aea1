/** Number sequences explained by a grammar, against the figures of section 1.4 of Grosse (2014) and by definition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  apply,
  bitsOf,
  continuation,
  expressionText,
  extend,
  LARGEST,
  nextOfR,
  nextRange,
  probabilityOfR,
  readNumbers,
  search,
} from '../../www/lib/number-sequences.js';

const THESIS = [4, 13, 38, 87, 208];

/** An expression for the numbers, by its productions. */
function explain(numbers, ...productions) {
  const start = search(numbers, 1).levels[0].best;
  return productions.reduce((from, production) => extend(from, production).made, start);
}

const close = (found, expected, relative = 1e-9) =>
  assert.ok(Math.abs(found / expected - 1) <= relative, `${found}, not ${expected}`);

test('probabilities under R are those of the thesis', () => {
  for (const [numbers, expected] of [
    [THESIS, '3.938e-14'],
    [[4, 9, 25, 49, 121], '6.048e-13'],
    [[4, 5, 16, 24, 72], '8.419e-12'],
    [[2, 3, 5, 7, 11], '9.717e-8'],
    [[1, 2, 3, 4, 5], '3.647e-6'],
  ]) {
    assert.equal(probabilityOfR(numbers).toExponential(3), expected, String(numbers));
  }
});

test('scores and improvements are those of the table in the thesis', () => {
  const chain = ['cumsum', 'square', 'nthprime', '1:N'];
  const scores = chain.map((_, n) => explain(THESIS, ...chain.slice(0, n + 1)).score);
  const all = [explain(THESIS).score, ...scores];
  assert.deepEqual(
    all.map((score) => score.toExponential(3)),
    ['7.876e-15', '2.419e-14', '7.773e-10', '5.835e-9', '1.600e-3'],
  );
  // The table has 3213.04 for the second, a tenth of what its own scores give: 7.77e-10 / 2.42e-14.
  assert.deepEqual(
    scores.map((score, n) => (score / all[n]).toFixed(2)),
    ['3.07', '32130.38', '7.51', '274186.18'],
  );
  assert.equal(explain(THESIS, 'cumsum', 'cumsum').score.toExponential(3), '6.735e-14');
});

test('in the second step three of the four productions cannot have made the numbers', () => {
  const start = explain(THESIS);
  const problems = ['square', 'nthprime', '1:N'].map((name) => extend(start, name).problem);
  assert.deepEqual(problems, ['13 is not a square', '4 is not a prime', '4 is not 1']);
  assert.equal(extend(explain([9, 7, 8]), 'cumsum').problem, '7 is not above 9');
});

test('the search finds the expression of the thesis and its next term, 377', () => {
  const { levels } = search(THESIS, 3);
  const { best } = levels.at(-1);
  assert.equal(expressionText(best.productions, 5), 'cumsum(square(nthprime(1:5)))');
  assert.deepEqual(
    levels.map((level) => bitsOf(level.best.score).toFixed(2)),
    ['46.85', '45.23', '30.26', '25.59', '9.29'],
  );
  assert.deepEqual(best.residues, [THESIS, [4, 9, 25, 49, 121], [2, 3, 5, 7, 11], [1, 2, 3, 4, 5]]);
  assert.deepEqual(continuation(best, 3), [
    [377, 666, 1027],
    [169, 289, 361],
    [13, 17, 19],
    [6, 7, 8],
  ]);
});

test('who keeps one expression alone takes differences of the primes, and ends there', () => {
  const [one, two] = [1, 2].map((keep) => search(THESIS, keep).levels.at(-1).best);
  assert.equal(expressionText(one.productions, 5), 'cumsum(square(cumsum(R)))');
  assert.equal(one.score.toExponential(2), '1.98e-8');
  // The page says by how many bits.
  const ratio = one.score / explain(THESIS, 'cumsum', 'square', 'nthprime').score;
  assert.equal(Math.log2(ratio).toFixed(1), '1.8');
  assert.equal(expressionText(two.productions, 5), 'cumsum(square(nthprime(1:5)))');
});

test('the probability under R is the sum over a and b, each from 1 to 1,000', () => {
  for (const numbers of [
    [2, 3, 5],
    [7, 7, 7],
    [1000, 1, 500, 500],
  ]) {
    let [sum, total] = [0, 0];
    for (let a = 1; a <= LARGEST; a++) {
      total += 1 / a;
      for (let b = 1; b <= LARGEST; b++) {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const isWithin = numbers.every((number) => number >= low && number <= high);
        if (isWithin) sum += 1 / (a * b * (high - low + 1) ** numbers.length);
      }
    }
    close(probabilityOfR(numbers), sum / total ** 2);
  }
});

test('what R draws next is a distribution, and the ratio of two probabilities', () => {
  for (const numbers of [
    [2, 3, 5, 7, 11],
    [417, 83, 902, 265, 718],
    [1, 1, 1],
    [1000, 999, 1000],
  ]) {
    const next = nextOfR(numbers);
    close(
      next.reduce((sum, probability) => sum + probability),
      1,
    );
    for (const value of [1, 2, 11, 12, 83, 300, 902, 999, 1000]) {
      close(next[value], probabilityOfR([...numbers, value]) / probabilityOfR(numbers));
    }
  }
});

test('the range of the next term holds its share, and no less would', () => {
  const left = [4, 7, 6, 9, 5];
  const { low, median, high } = nextRange(explain(left), 0.8);
  const next = nextOfR(left);
  const upTo = (end) => next.slice(0, end + 1).reduce((sum, probability) => sum + probability, 0);
  for (const [value, share] of [
    [low, 0.1],
    [median, 0.5],
    [high, 0.9],
  ]) {
    assert.ok(upTo(value) >= share && upTo(value - 1) < share, `${value} at ${share}`);
  }
  // Through operations: the last total and the square of what R draws.
  const squares = left.map((number) => number * number);
  const totals = apply('cumsum', squares);
  assert.deepEqual(nextRange(explain(totals, 'cumsum', 'square'), 0.8), {
    low: totals[4] + low ** 2,
    median: totals[4] + median ** 2,
    high: totals[4] + high ** 2,
  });
});

test('operations and their inverses: every expression is found again from what it makes', () => {
  for (const productions of [
    ['square'],
    ['nthprime'],
    ['nthprime', 'nthprime'],
    ['cumsum', 'cumsum'],
    ['square', 'nthprime'],
    ['cumsum', 'nthprime'],
    ['square', 'square'],
  ]) {
    const made = [...productions]
      .reverse()
      .reduce((row, name) => apply(name, row), [1, 2, 3, 4, 5]);
    const { best } = search(made, 3).levels.at(-1);
    assert.deepEqual(best.productions, [...productions, '1:N']);
    const longer = [...productions]
      .reverse()
      .reduce((row, name) => apply(name, row), [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(continuation(best, 2)[0], longer.slice(-2));
  }
});

test('what cannot be explained stays R, also where a first step does not pay', () => {
  for (const numbers of [
    [417, 83, 902, 265, 718],
    [1, 1, 2, 3, 5, 8],
    [1, 10, 46, 146],
  ]) {
    const { levels, inVain } = search(numbers, 5);
    assert.equal(levels.length, 1, String(numbers));
    assert.equal(inVain.length, 4);
    for (const { made } of inVain) assert.ok(!made || made.score < levels[0].best.score);
  }
  // The last is made by the language, with a score far better than that of R.
  const whole = explain([1, 10, 46, 146], 'cumsum', 'square', 'cumsum', '1:N');
  assert.ok(whole.score > 1e8 * explain([1, 10, 46, 146]).score);
});

test('what is typed is read, or refused with the field, the problem and the remedy', () => {
  assert.deepEqual(readNumbers(' 4, 13;38\n87 208 ').numbers, THESIS);
  for (const [text, problem] of [
    ['4, 2.5, 6', 'Numbers: “2.5” is not a whole number; give whole numbers from 1 to 1,000.'],
    ['4 x 6', 'Numbers: “x” is not a whole number; give whole numbers from 1 to 1,000.'],
    ['4 6', 'Numbers: there are 2; give at least 3.'],
    ['', 'Numbers: there are 0; give at least 3.'],
    ['1 2 1001', 'Numbers: 1001 is not from 1 to 1,000, where R draws its numbers; leave it out.'],
    ['3 0 4', 'Numbers: 0 is not from 1 to 1,000, where R draws its numbers; leave it out.'],
    ['1 2 3 4 5 6 7 8 9 10 11', 'Numbers: there are 11; give at most 10.'],
  ]) {
    assert.deepEqual(readNumbers(text), { numbers: undefined, problem });
  }
});
