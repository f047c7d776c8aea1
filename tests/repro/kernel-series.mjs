// Section 5.7.1 of Grosse's thesis (2014): series continued by the kernel that a search found, against the best base kernel.
//
// www/data/airline.csv has the monthly totals of international airline passengers of 1949 to 1960, in thousands (Box and
// Jenkins 1976, series G), from Airline.csv of sktime 1.2.0 (BSD-3-Clause). co2-monthly.csv has monthly means of the weekly record of
// carbon dioxide at Mauna Loa from 1958 to 2001, in parts per million (Keeling and Whorf 2004), from co2.csv of statsmodels 0.15.0,
// which says that it is in the public domain; five months have no week with a value.

import { readFile } from 'node:fs/promises';
import { scoresOf, seriesOfText } from '../../www/lib/time-series.js';

export const name = 'kernel-series';
export const about =
  'airline passengers and carbon dioxide continued by kernels found (Grosse 2014, 5.7.1)';
export const source = 'Grosse 2014, section 5.7.1';

export const departures = [
  { of: 'depth of the search', paper: '10', ours: '4' },
  { of: 'carbon dioxide', paper: 'the decomposition alone', ours: 'its last third predicted, too' },
  { of: 'parts of the airline data', paper: '10 to 90 % for training', ours: 'two thirds' },
];

const SERIES = [
  { label: 'airline passengers', file: 'airline.csv' },
  { label: 'carbon dioxide', file: 'co2-monthly.csv' },
];

async function readSeries(file) {
  return seriesOfText(await readFile(new URL(`../../www/data/${file}`, import.meta.url), 'utf8'));
}

export async function run({ engine, quick, seed, log }) {
  const settings = { maxDepth: quick ? 2 : 4, numRestarts: quick ? 0 : 2 };
  const [rows, digests, found] = [[], [], []];
  for (const { label, file } of quick ? SERIES.slice(0, 1) : SERIES) {
    const { times, values } = await readSeries(file);
    const count = Math.round((2 * values.length) / 3);
    const heldOut = values.slice(count);
    const result = await engine.kernels({
      inputs: times.slice(0, count),
      values: values.slice(0, count),
      predict: times.slice(count),
      seed,
      ...settings,
    });
    digests.push(result.digest);
    const levels = result.levels.map((level) => ({
      ...level,
      ...scoresOf(level.prediction, level.noiseVariance, heldOut),
    }));
    const chosen = levels.find(({ text }) => text === result.text);
    found.push({ label, result, base: levels[0], chosen });
    for (const [at, { text, bic, rmse, logDensity, noiseVariance }] of levels.entries()) {
      log(
        `${label}, level ${at + 1}: ${text}, RMSE ${rmse.toFixed(2)}, ${logDensity.toFixed(3)} nats`,
      );
      rows.push({
        label: `${label}, level ${at + 1}: ${text}`,
        measured: { bic, rmse, logDensity, noiseVariance },
        paper: {},
      });
    }
  }
  return { settings, rows, checks: checks(found), digests };
}

const checks = (found) =>
  found.flatMap(({ label, result, base, chosen }) => [
    {
      claim: `${label}: the last third is predicted better than by the best base kernel, in mean squared error`,
      holds: chosen.rmse < base.rmse,
    },
    {
      claim: `${label}: and in log density`,
      holds: chosen.logDensity > base.logDensity,
    },
    {
      claim: `${label}: the kernel found has a yearly period`,
      source: 'Grosse 2014, section 5.5',
      holds: periodsOf(result.kernel).some((period) => Math.abs(period - 1) < 0.02),
    },
  ]);

/** The periods in a kernel. */
const periodsOf = (kernel) =>
  kernel.kind === 'PER'
    ? [kernel.period]
    : [...(kernel.terms ?? []), ...(kernel.factors ?? [])].flatMap(periodsOf);
