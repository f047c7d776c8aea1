// Figure 3.9 of Sohl-Dickstein's thesis (2012): networks of 128 units that
// perceptron corrections (PER) and minimum probability flow (MPF) have made of
// m random patterns, all of them fixed points. Of each pattern from 0 to 64
// bits are flipped; how often do the dynamics lead back to the very pattern?
//
// The thesis tells of four values of m in the figure's legend alone, which we
// have not; ours are 16, 32, 64 and 96. Flow stops at a margin of 1 nat, as is
// the default; margins of 5 and 20 make no difference that one could see. Beside
// the figure there are Storkey's rule, where it stores all patterns, and the perceptron
// with a margin of 5, which goes on correcting bits that are right, but only just.

import { mkdir, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';
import { estimate } from './estimates.mjs';
import { eachOf, randomRows, shown } from './hopfield.mjs';

export const name = 'hopfield-recall';
export const about = 'patterns of 128 units recalled from flipped bits (thesis, figure 3.9)';
export const source = 'Sohl-Dickstein 2012, figure 3.9';
export const departures = [
  { of: 'patterns m', paper: 'four values, in the legend alone', ours: '16, 32, 64, 96' },
  { of: 'rules', paper: 'PER, MPF', ours: 'also PER with a margin and Storkey’s' },
];

const UNITS = 128;
const COUNTS = [16, 32, 64, 96];
const RULES = {
  PER: { rule: { kind: 'perceptron', maxEpochs: 10_000 } },
  MPF: { rule: { kind: 'mpf' } },
  'PER with a margin': { rule: { kind: 'perceptron', maxEpochs: 10_000 }, margin: 5 },
  Storkey: { rule: { kind: 'storkey' } },
};
const COLOURS = [
  [200, 30, 30],
  [240, 150, 60],
  [30, 150, 60],
  [30, 70, 200],
];
const TOLD = [8, 16, 24, 32];
/** In standard errors of the difference over 20 trials; chance does it less than once in a million. */
const DIFFERENT = 6;

const settings = (quick) => ({
  numTrials: quick ? 4 : 20,
  flips: Array.from({ length: 65 }, (_, numFlips) => numFlips).filter(
    (numFlips) => !quick || numFlips % 4 === 0,
  ),
});

export async function run({ engine, quick, seed, log, out }) {
  const { numTrials, flips } = settings(quick);
  const numRows = numTrials * COUNTS.reduce((sum, count) => sum + count, 0);
  const next = await randomRows({ engine, dim: UNITS, numRows, seed });
  const digests = [];
  const found = [];
  for (const count of COUNTS) {
    const sets = Array.from({ length: numTrials }, () => next(count));
    for (const [name, { rule, margin }] of Object.entries(RULES)) {
      const trials = await eachOf(sets, (patterns) =>
        curveOf({ engine, patterns, rule, margin, flips, seed }),
      );
      digests.push(...trials.flatMap((trial) => trial.digests));
      found.push({
        count,
        name,
        stored: trials.filter(({ isStored }) => isStored).length,
        parts: flips.map((_, at) => estimate(trials.map(({ parts }) => parts[at]))),
        // Flips that a pattern comes back from, were each number of flips as likely.
        area: estimate(trials.map(({ parts }) => (64 * sumOf(parts)) / parts.length)),
        half: estimate(trials.map(({ parts }) => halfAt(flips, parts))),
      });
    }
    log(`${count} patterns: ${numTrials} networks by each rule.`);
  }
  await mkdir(out, { recursive: true });
  for (const name of ['PER', 'MPF']) {
    const file = `hopfield-recall-${name.toLowerCase()}.png`;
    await writeFile(new URL(file, out), figure(found, name, flips));
    log(
      `${file}: part of the patterns recalled by bits flipped; m = ${COUNTS.join(', ')} in red, orange, green, blue.`,
    );
  }
  return { rows: rows(found, flips, numTrials), checks: checks(found, numTrials), digests };
}

/** Of one network: the part of its patterns that it recalls, by the number of bits flipped. */
async function curveOf({ engine, patterns, rule, margin, flips, seed }) {
  const { model, numStored, digest } = await engine.memorize({
    model: { kind: 'ising', dim: UNITS },
    patterns,
    rule,
    ...(margin !== undefined && { margin }),
    seed,
  });
  const parts = [];
  const digests = [digest];
  for (const numFlips of flips) {
    const recalled = await engine.recall({ model, cues: patterns, noise: { numFlips }, seed });
    parts.push(recalled.numRecovered / patterns.numRows);
    digests.push(recalled.digest);
  }
  return { parts, digests, isStored: numStored === patterns.numRows };
}

const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/** Where the curve first falls to a half, between flips by a straight line. */
function halfAt(flips, parts) {
  const at = parts.findIndex((part) => part <= 0.5);
  if (at <= 0) return at < 0 ? flips.at(-1) : 0;
  const [before, after] = [parts[at - 1], parts[at]];
  return flips[at - 1] + ((flips[at] - flips[at - 1]) * (before - 0.5)) / (before - after);
}

function rows(found, flips, numTrials) {
  return found.map(({ count, name, stored, parts, area, half }) => ({
    label: `m = ${count}, ${name}`,
    measured: {
      storedWhole: stored / numTrials,
      ...shown({ halfAt: half, area }),
      ...shown(
        Object.fromEntries(
          TOLD.map((numFlips) => [`recalled${numFlips}`, parts[flips.indexOf(numFlips)]]),
        ),
      ),
    },
    paper: {},
  }));
}

function figure(found, name, flips) {
  return drawCurves({
    curves: COUNTS.map((count, at) => {
      const { parts } = found.find((each) => each.count === count && each.name === name);
      return {
        values: parts.map(({ mean }) => mean),
        errors: parts.map(({ error }) => error),
        colour: COLOURS[at],
      };
    }),
    x: flips,
    xTicks: [0, 8, 16, 24, 32, 40, 48, 56, 64],
    yTicks: [0, 0.2, 0.4, 0.6, 0.8, 1],
  });
}

function checks(found, numTrials) {
  const of = (name, count) => found.find((each) => each.count === count && each.name === name);
  const above = (first, second) =>
    (first.area.mean - second.area.mean) / Math.hypot(first.area.error, second.area.error);
  return [
    {
      claim:
        'all networks are perfectly trained, by PER and by MPF: every pattern is a fixed point',
      holds: COUNTS.every((count) =>
        ['PER', 'MPF'].every((name) => of(name, count).stored === numTrials),
      ),
    },
    {
      claim: `MPF recalls more than PER at each m, by more than ${DIFFERENT} standard errors of the area under the curve`,
      holds: COUNTS.every((count) => above(of('MPF', count), of('PER', count)) > DIFFERENT),
    },
    {
      claim:
        'MPF recalls no less than PER at any m and any number of flips, by more than three standard errors',
      holds: COUNTS.every((count) =>
        of('MPF', count).parts.every((mpf, at) => {
          const per = of('PER', count).parts[at];
          return mpf.mean - per.mean >= -3 * Math.hypot(mpf.error, per.error);
        }),
      ),
    },
    {
      claim: 'the more patterns, the fewer flips they are recalled from, by either rule',
      holds: ['PER', 'MPF'].every((name) =>
        COUNTS.slice(1).every(
          (count, at) => of(name, count).area.mean < of(name, COUNTS[at]).area.mean,
        ),
      ),
    },
    {
      claim: 'MPF recalls more than a perceptron with a margin too, at m = 16, 32 and 64',
      holds: [16, 32, 64].every(
        (count) => above(of('MPF', count), of('PER with a margin', count)) > DIFFERENT,
      ),
    },
  ];
}
