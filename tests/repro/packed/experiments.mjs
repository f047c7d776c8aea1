// The reproductions that go with the package, for `unnorm repro`, and how any of them is run. All of this folder is packed.
//
// Left to the repository are those that need much data: handwritten digits, photographs, and the
// samples of the fully connected model.

import { createHash } from 'node:crypto';
import * as bounds from './bounds.mjs';
import * as evidenceSmall from './evidence-small.mjs';
import * as fingerprints from './fingerprints.mjs';
import * as haisConvergence from './hais-convergence.mjs';
import * as hmcFlips from './hmc-flips.mjs';
import * as hopfieldCapacity from './hopfield-capacity.mjs';
import * as hopfieldNoisy from './hopfield-noisy.mjs';
import * as hopfieldRecall from './hopfield-recall.mjs';
import * as hopfieldTime from './hopfield-time.mjs';
import * as marginalLikelihood from './marginal-likelihood.mjs';
import * as mixing from './mixing.mjs';
import * as naturalGradient from './natural-gradient.mjs';
import * as scoreMatching from './score-matching.mjs';
import * as sparse from './sparse.mjs';
import * as sparseGrid from './sparse-grid.mjs';
import * as surprises from './surprises.mjs';
import * as table31 from './table-3.1.mjs';
import * as twoGaussians from './two-gaussians.mjs';

// One file a reproduction, and one line here or, of those that are not shipped, in ../run.mjs.
export const shipped = [
  table31,
  naturalGradient,
  hmcFlips,
  twoGaussians,
  haisConvergence,
  bounds,
  surprises,
  marginalLikelihood,
  evidenceSmall,
  mixing,
  hopfieldCapacity,
  hopfieldTime,
  hopfieldRecall,
  hopfieldNoisy,
  fingerprints,
  scoreMatching,
  sparse,
  sparseGrid,
];

/**
 * Runs one. `out` is the folder, as a URL, that pictures go to; `log` is called with lines.
 *
 * @returns {{ name, quick, seed, seconds, digest, departures?: { of, paper, ours }[], settings?, rows: { label, measured, paper }[],
 *   checks: { claim, source, holds }[] }} A check is a claim of the paper in words, tested on these numbers, with its
 *   place there.
 */
export async function runExperiment(
  { name, source, departures, run },
  { unnorm, engine, quick, seed, out, log },
) {
  const started = performance.now();
  const { rows, checks, digests, settings } = await run({ unnorm, engine, quick, seed, out, log });
  return {
    name,
    quick,
    seed,
    seconds: round((performance.now() - started) / 1000, 4),
    digest: createHash('sha256').update(digests.join('\n')).digest('hex'),
    ...(departures && { departures }),
    ...(settings && { settings }),
    rows,
    checks: checks.map((check) => ({
      claim: check.claim,
      source: check.source ?? source,
      holds: check.holds,
    })),
  };
}

/** A report in lines: the paper's figures beside ours, then the claims. */
export function describeReport({ about }, { name, rows, checks, seconds, seed, digest }) {
  const lines = [`${name}: ${about}`];
  for (const { label, measured, paper } of rows) {
    lines.push('', label);
    for (const key of new Set([...Object.keys(measured), ...Object.keys(paper)])) {
      lines.push(`  ${key.padEnd(26)} ${show(measured[key]).padEnd(16)} paper ${show(paper[key])}`);
    }
  }
  lines.push('');
  for (const { claim, holds } of checks) lines.push(`${holds ? 'holds' : 'FAILS'}  ${claim}`);
  lines.push('', `${seconds} s, seed ${seed}, digest ${digest}`);
  return `${lines.join('\n')}\n`;
}

function round(value, digits) {
  return Number(value.toPrecision(digits));
}

function show(value) {
  return value === undefined
    ? '–'
    : typeof value === 'number'
      ? String(round(value, 6))
      : String(value);
}
