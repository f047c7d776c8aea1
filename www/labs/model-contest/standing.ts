import { gaussianLogLikelihoods, noiseLogLikelihoods } from '../../lib/gaussian-likelihoods.js';
import { compare, type Judged, meanAndError, placesOf, WITHIN_95 } from '../../lib/ranking.js';
import type { Contestant } from './contestants.js';
import type { Entry } from './entry.js';
import { NUM_ZERO_PATCHES } from './plan.js';

/** A mean log likelihood of the test patches by annealing, in nats a patch. */
export interface Estimate {
  numDistributions: number;
  value: number;
  /** Standard error that annealing leaves. */
  error: number;
  /** What the engine doubts of it. */
  warnings: readonly string[];
}

/** How a contestant stands. */
export interface Standing {
  contestant: Contestant;
  entry: Entry;
  /** What it says of the test patches; undefined while that is not known. */
  judged: Judged | undefined;
  /** Mean log likelihood, in nats a patch: exact, or the best estimate so far. */
  value: number;
  /** Standard error that annealing leaves, 0 where it is exact; and of so few patches among others. */
  annealingError: number;
  rowError: number;
  /** The exact mean where it is known. */
  exact: number | undefined;
  /** By annealing, from the fewest distributions to the most. */
  estimates: readonly Estimate[];
  /** By how many nats a patch it may be too low, as measured on patches of its own; undefined until then. */
  loss: number | undefined;
  /** What the engine doubts of training and judging. */
  warnings: readonly string[];
}

/** What is known of a contestant, of test patches [patches, dim]. */
export function standingOf(
  entry: Entry,
  testStates: Float64Array,
  dim: number,
  numsDistributions: readonly number[],
): Standing {
  const { contestant, annealed } = entry;
  const exactRows = exactRowsOf(entry, testStates, dim);
  const estimates = annealed.flatMap(({ likelihood, warnings }, rung): Estimate[] => {
    if (!likelihood) return [];
    const { value, standardError: error } = likelihood.mean;
    return [{ numDistributions: numsDistributions[rung] ?? 0, value, error, warnings }];
  });
  const last = estimates.at(-1);
  const gap = entry.loss?.likelihood?.gap;
  const loss = gap && Math.max(0, gap.interval.upper);
  const rows = exactRows ?? annealedRowsOf(entry);
  const judged: Judged | undefined = rows && {
    rows,
    logZError: exactRows || contestant.isGenerative ? 0 : (last?.error ?? 0),
    isExact: exactRows !== undefined,
    isGenerative: contestant.isGenerative,
    loss: exactRows || !contestant.isGenerative ? 0 : (loss ?? Number.POSITIVE_INFINITY),
    isDoubtful: (last?.warnings.length ?? 0) > 0,
  };
  const { mean, error } = rows ? meanAndError(rows) : { mean: Number.NaN, error: Number.NaN };
  return {
    contestant,
    entry,
    judged,
    value: mean,
    annealingError: exactRows ? 0 : (last?.error ?? Number.NaN),
    rowError: error,
    exact: exactRows ? mean : undefined,
    estimates,
    loss,
    warnings: [
      ...(entry.fit?.warnings ?? []),
      ...(exactRows
        ? []
        : (last?.warnings ?? []).map((words) => ofTheLikelihood(words, contestant))),
    ],
  };
}

/** The engine speaks of log Z; of a generative model that is the log likelihood itself. */
function ofTheLikelihood(warning: string, { isGenerative }: Contestant): string {
  return isGenerative
    ? warning
    : `Of log Z: ${warning} The log likelihood is too high by as much as log Z is too low.`;
}

/** ln p of each test patch, exact; undefined while it is not known, or cannot be. */
function exactRowsOf(
  { contestant, energies, exact, fit, model }: Entry,
  testStates: Float64Array,
  dim: number,
): Float64Array | undefined {
  if (contestant.truth === 'engine')
    return energies && exact && energies.map((energy) => -energy - exact.logZ);
  const isKnown = contestant.truth === 'page' && fit && model?.kind === 'linearGenerative';
  return isKnown ? gaussianLogLikelihoods(model, dim, testStates) : undefined;
}

/** The same by the annealing with the most distributions so far. */
function annealedRowsOf({ contestant, energies, annealed }: Entry): Float64Array | undefined {
  const last = annealed.at(-1);
  if (!last) return undefined;
  if (contestant.isGenerative) return last.likelihood?.rows;
  return energies?.map((energy) => -energy - last.logZ);
}

/** By how many nats annealing favoured a model of patches at most, where the truth is known. */
export function favourOf(standings: readonly Standing[]): number {
  const misses = standings
    .filter(({ contestant }) => !contestant.isGenerative)
    .flatMap(({ exact, estimates }) => {
      const last = estimates.at(-1);
      return exact !== undefined && last ? [last.value - exact] : [];
    });
  return Math.max(0, ...misses);
}

/** A contestant that has been judged, with its place. */
export interface Ranked extends Standing {
  judged: Judged;
  /** The places it may have, by what may be concluded. */
  first: number;
  last: number;
  /** Against the one after it in the order of the means. */
  next: (ReturnType<typeof compare> & { standing: Standing }) | undefined;
}

/** Those that have been judged, the most probable first. */
export function rankingOf(standings: readonly Standing[]): Ranked[] {
  const judged = standings
    .filter((standing): standing is Standing & { judged: Judged } => standing.judged !== undefined)
    .sort((a, b) => order(b.value) - order(a.value));
  const favour = favourOf(standings);
  const places = placesOf(
    judged.map((standing) => standing.judged),
    favour,
  );
  return judged.map((standing, n): Ranked => {
    const after = judged[n + 1];
    return {
      ...standing,
      first: places[n]?.first ?? 1,
      last: places[n]?.last ?? judged.length,
      next: after && { ...compare(standing.judged, after.judged, favour), standing: after },
    };
  });
}

/** What is not a number comes last. */
const order = (value: number) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value);

/** A check of annealing against what is known. */
export interface Check {
  standing: Standing;
  what: 'exact' | 'zero';
  known: number;
  found: number;
  /** Standard error that annealing claims. */
  error: number;
  /** Whether the 95 % interval holds what is known. */
  holds: boolean;
}

/** Annealing against exact likelihoods, and against those without basis functions (5.25). */
export function checksOf(
  standings: readonly Standing[],
  testStates: Float64Array,
  dim: number,
): Check[] {
  return standings.flatMap((standing): Check[] => {
    const { exact, estimates, entry } = standing;
    const last = estimates.at(-1);
    const checks: Check[] = [];
    if (exact !== undefined && last)
      checks.push(checked(standing, 'exact', exact, last.value, last.error));
    const zero = entry.zero?.likelihood?.mean;
    const { model } = entry;
    if (zero && model && 'noise' in model) {
      const few = testStates.subarray(0, NUM_ZERO_PATCHES * dim);
      const { mean } = meanAndError(noiseLogLikelihoods(model.noise ?? 0.1, dim, few));
      checks.push(checked(standing, 'zero', mean, zero.value, zero.standardError));
    }
    return checks;
  });
}

/** Relative to what is told: where annealing has nothing to estimate, it errs by rounding alone. */
const ROUNDING = 1e-9;

function checked(
  standing: Standing,
  what: Check['what'],
  known: number,
  found: number,
  error: number,
): Check {
  const holds = Math.abs(found - known) <= WITHIN_95 * error + ROUNDING * Math.abs(known);
  return { standing, what, known, found, error, holds };
}
