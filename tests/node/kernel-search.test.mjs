// What the lab "Kernel search" does besides the search: series read, averaged, made and judged, kernels in words.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
  meansOver,
  scoresOf,
  seriesOfText,
  smoothAndNoise,
  timesAfter,
  trendAndSeason,
  whiteNoise,
} from '../../www/lib/time-series.js';
import { siteModule } from './site-module.mjs';

const { componentWords } = await siteModule('labs/kernel-search/words.ts');

test('a series is read from one column or two, with dates or without, in the order of time', () => {
  assert.deepEqual(seriesOfText('5\n6.5\n7\n'), {
    times: [1, 2, 3],
    values: [5, 6.5, 7],
    heads: undefined,
  });
  const { times, values, heads } = seriesOfText(
    'month,sold\n1949-04,3\n1949-01,1\n1950-01-01,4\n2000-07-01,5\n',
  );
  assert.deepEqual(heads, ['month', 'sold']);
  assert.deepEqual(values, [1, 3, 4, 5]);
  // The first of July 2000 is the 183rd day of 366.
  assert.deepEqual(times, [1949, 1949.25, 1950, 2000 + 182 / 366]);
});

test('what is no series is refused with the place', () => {
  assert.throws(() => seriesOfText('1,2,3\n4,5,6\n'), /There are 3 columns; give one of values/);
  assert.throws(() => seriesOfText('1,2\n3,x\n'), /Line 2, column 2 is not a number/);
  // There is no thirteenth month.
  assert.throws(() => seriesOfText('1949-13,2\n1949-02,3\n'), /Line 1, column 1 is not a number/);
});

test('the series that the site brings along are whole', async () => {
  const read = async (name) =>
    seriesOfText(await readFile(new URL(`../../www/data/${name}`, import.meta.url), 'utf8'));
  const airline = await read('airline.csv');
  assert.equal(airline.values.length, 144);
  assert.deepEqual(
    [airline.values[0], airline.values.at(-1), airline.times[0], Math.max(...airline.values)],
    [112, 432, 1949, 622],
  );
  const co2 = await read('co2-monthly.csv');
  assert.equal(co2.values.length, 521);
  assert.equal(co2.values[0], 316.1);
});

test('means are over neighbours, and what is left at the end is left out', () => {
  const series = { times: [0, 1, 2, 3, 4], values: [1, 3, 5, 9, 100] };
  assert.deepEqual(meansOver(series, 2), { times: [0.5, 2.5], values: [2, 7] });
  assert.deepEqual(meansOver(series, 1), series);
});

test('times go on at the mean distance', () => {
  assert.deepEqual(timesAfter([0, 1, 4], 3), [6, 8, 10]);
});

test('scores are those of normal distributions', () => {
  // Errors 1 and −2, variances 1 + 3 and 0 + 3.
  const { rmse, logDensity } = scoresOf({ means: [0, 4], variances: [1, 0] }, 3, [1, 2]);
  assert.ok(Math.abs(rmse - Math.sqrt(2.5)) < 1e-15);
  const density = (error, variance) =>
    Math.exp(-(error ** 2) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
  const mean = (Math.log(density(1, 4)) + Math.log(density(-2, 3))) / 2;
  assert.ok(Math.abs(logDensity - mean) < 1e-14);
});

test('made series have the trend, the season, the covariance and the noise they are said to have', () => {
  for (const make of [trendAndSeason, smoothAndNoise, whiteNoise]) {
    assert.deepEqual(make(3), make(3));
    assert.notDeepEqual(make(3).values, make(4).values);
  }
  // Means over many seeds: for each number below, its standard error is less than a tenth of the tolerance.
  const seeds = Array.from({ length: 4000 }, (_, n) => n);
  const mean = (all) => all.reduce((sum, value) => sum + value, 0) / all.length;
  const seasons = seeds.slice(0, 400).map((seed) => trendAndSeason(seed).values);
  const at = (t) => mean(seasons.map((values) => values[t]));
  // Twelve months apart: the trend alone.
  assert.ok(Math.abs(at(60) - at(48) - 2.4) < 0.6);
  assert.ok(Math.abs(at(3) - (40 + 0.6 + 5 - 2)) < 0.4);
  const smooth = seeds.map((seed) => smoothAndNoise(seed).values);
  const covariance = (lag) => mean(smooth.map((values) => values[40] * values[40 + lag]));
  for (const [lag, expected] of [
    [0, 1 + 0.09],
    [4, Math.exp(-1 / 2)],
    [8, Math.exp(-2)],
  ]) {
    assert.ok(Math.abs(covariance(lag) - expected) < 0.25, `${lag}: ${covariance(lag)}`);
  }
  const noise = seeds.slice(0, 400).flatMap((seed) => whiteNoise(seed).values);
  assert.ok(Math.abs(mean(noise.map((value) => value ** 2)) - 1) < 0.07);
});

const YEARS = { first: 1950, last: 1960, step: 1 / 12, unit: { one: 'year', many: 'years' } };
const MONTHS = { first: 0, last: 100, step: 1, unit: { one: 'month', many: 'months' } };
const UNITS = { ...MONTHS, unit: { one: 'unit', many: 'units' } };
const se = (lengthScale) => ({ kind: 'SE', input: 0, variance: 1, lengthScale });
const rq = (lengthScale) => ({ ...se(lengthScale), kind: 'RQ', alpha: 1 });
const per = (period) => ({ kind: 'PER', input: 0, variance: 1, lengthScale: 1, period });
const lin = (location) => ({
  kind: 'LIN',
  input: 0,
  biasVariance: 0.01,
  slopeVariance: 1,
  location,
});
const product = (...factors) => ({ kind: 'product', factors });

test('components are said in words', () => {
  const cases = [
    [lin(1950), YEARS, 'a straight line'],
    [product(lin(1950), lin(1940)), YEARS, 'a parabola'],
    [product(lin(0), lin(1), lin(2), lin(3)), UNITS, 'a polynomial of degree 4'],
    [per(1.004), YEARS, 'a yearly season'],
    [per(12.02), MONTHS, 'a yearly season'],
    [per(0.5), YEARS, 'a half-yearly season'],
    [per(12.02), UNITS, 'a season of 12 units'],
    [product(per(1), lin(1940)), YEARS, 'a yearly season that grows'],
    [product(per(1), lin(1970)), YEARS, 'a yearly season that shrinks'],
    [
      product(per(1), lin(1953)),
      YEARS,
      'a yearly season that shrinks until 1953 and grows from there',
    ],
    // Far away from where the line is 0 nothing changes.
    [product(per(1), lin(1800)), YEARS, 'a yearly season'],
    [
      product(se(35), per(1), lin(1940)),
      YEARS,
      'a yearly season that changes over about 35 years and grows',
    ],
    [se(8), YEARS, 'a smooth trend, over 8 years'],
    [se(0.25), YEARS, 'a fluctuation over about 3 months'],
    [
      product(rq(2), se(3)),
      YEARS,
      'a fluctuation over about 2 years, and over shorter and longer times',
    ],
    [product(se(3), lin(1940)), YEARS, 'a fluctuation over about 3 years, that grows'],
  ];
  for (const [kernel, span, words] of cases) assert.equal(componentWords(kernel, span), words);
});
