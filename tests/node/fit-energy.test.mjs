// What the lab "Fit an energy" does besides the fits: names in formulas, heads of tables, rows drawn again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parametersIn, variablesFrom } from '../../www/lib/formula-names.js';
import { rowsOfText, tableOfText } from '../../www/lib/own-table.js';
import { drawnRows, rowsAt } from '../../www/lib/resampled.js';
import { siteModule } from './site-module.mjs';

const { coverageOf, fewestHeld } = await siteModule('labs/fit-energy/repeats.ts');

test('parameters are the names that are neither variables nor functions', () => {
  assert.deepEqual(parametersIn('a*(x - m)^2 + b*(y - x^2)^2', ['x', 'y']), ['a', 'm', 'b']);
  assert.deepEqual(parametersIn('log(1 + exp(2*x)) + max(x, pi)*k_2', ['x']), ['k_2']);
  // The e of a number is none; a name may end in digits.
  assert.deepEqual(parametersIn('1e-3*x + 2.5e4*x1 + 1.e5 + e*x', ['x']), ['x1', 'e']);
  assert.deepEqual(parametersIn('', ['x']), []);
  assert.deepEqual(parametersIn('a*a*a + b', []), ['a', 'b']);
});

test('columns get names that a formula can use', () => {
  assert.deepEqual(variablesFrom(['height', 'weight'], 2), ['height', 'weight']);
  for (const heads of [undefined, ['a b', 'c'], ['x', 'x'], ['log', 'y'], ['1', '2'], ['x']]) {
    assert.deepEqual(variablesFrom(heads, 2), ['x', 'y'], String(heads));
  }
  assert.deepEqual(variablesFrom(undefined, 1), ['x']);
  assert.deepEqual(variablesFrom(undefined, 3), ['x1', 'x2', 'x3']);
});

test('a first line without numbers is one of heads', () => {
  assert.deepEqual(tableOfText('"height", weight\n1, 2\n3, 4\n'), {
    heads: ['height', 'weight'],
    rows: [
      [1, 2],
      [3, 4],
    ],
  });
  assert.deepEqual(tableOfText('1 2\n3 4\n'), {
    heads: undefined,
    rows: [
      [1, 2],
      [3, 4],
    ],
  });
  assert.deepEqual(rowsOfText('a;b\n1;2'), [[1, 2]]);
  assert.throws(() => tableOfText('a,b\n1,2\n3,x'), /Line 3, column 2 is not a number\./);
  assert.throws(() => tableOfText('1,2\n3'), /Line 2 has 1 numbers where the first has 2\./);
});

test('rows are drawn with replacement, each as likely as any other', () => {
  const [numRows, numDraws] = [50, 4000];
  const counts = new Float64Array(numRows);
  for (let stream = 0; stream < numDraws; stream++) {
    for (const row of drawnRows(numRows, 3, stream)) counts[row] += 1;
  }
  // χ² with 49 degrees of freedom: 134 is passed once in 10⁹ times.
  const chiSquared = counts.reduce((sum, count) => sum + (count - numDraws) ** 2 / numDraws, 0);
  assert.ok(chiSquared < 134, String(chiSquared));
  assert.deepEqual(drawnRows(numRows, 3, 1), drawnRows(numRows, 3, 1));
  assert.notDeepEqual(drawnRows(numRows, 3, 1), drawnRows(numRows, 3, 2));
  assert.notDeepEqual(drawnRows(numRows, 4, 1), drawnRows(numRows, 3, 1));
  const rows = Uint32Array.of(2, 0, 2);
  assert.deepEqual(
    rowsAt(Float64Array.of(1, 2, 3, 4, 5, 6), 2, rows),
    Float64Array.of(5, 6, 1, 2, 5, 6),
  );
  assert.deepEqual(rowsAt(Uint8Array.of(7, 8, 9), 1, rows), Uint8Array.of(9, 7, 9));
});

test('as few intervals hold the truth by a chance of 1 in 1,000', () => {
  for (const numFits of [5, 20, 100, 400, 1000]) {
    // Of the binomial distribution, by the logarithms of its terms.
    const logs = [0];
    for (let n = 1; n <= numFits; n++) logs.push(logs[n - 1] + Math.log(n));
    const below = (fewest) => {
      let sum = 0;
      for (let held = 0; held < fewest; held++) {
        const ways = logs[numFits] - logs[held] - logs[numFits - held];
        sum += Math.exp(ways + held * Math.log(0.95) + (numFits - held) * Math.log(0.05));
      }
      return sum;
    };
    const fewest = fewestHeld(numFits);
    assert.ok(below(fewest) <= 1e-3, `${numFits}: ${fewest}`);
    assert.ok(below(fewest + 1) > 1e-3, `${numFits}: ${fewest}`);
  }
});

test('what became of a parameter in several fits', () => {
  const fit = (value, standardError) => ({
    estimates: [{ name: 'a', value, standardError, lower: value - 2, upper: value + 2 }],
  });
  const { numFits, numHeld, spread, meanError } = coverageOf(
    [fit(1, 1), fit(2, 2), { estimates: undefined }, fit(6, 3)],
    'a',
    2,
  );
  assert.deepEqual([numFits, numHeld, meanError], [3, 2, 2]);
  assert.ok(Math.abs(spread - Math.sqrt(7)) < 1e-12);
});
