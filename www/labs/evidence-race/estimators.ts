import type { EstimatorSpec } from 'unnorm';
import type { Settings } from './settings.js';

/** A line of the race. Annealing has two, of one job. */
export interface Line {
  id: LineId;
  /** As in a sentence. */
  name: string;
  short: string;
  colour: `--${string}`;
  dash?: number[];
  width: number;
  /** What its settings count. */
  counts: string;
}

export const LINE_IDS = [
  'forward',
  'reverse',
  'integration',
  'particles',
  'sequentialHarmonic',
  'nested',
  'chib',
  'variational',
  'symmetric',
  'bic',
  'weighting',
  'harmonic',
] as const;
export type LineId = (typeof LINE_IDS)[number];

/** Curves differ in lightness and dashes as well as in hue. */
export const LINES: readonly Line[] = [
  line('forward', 'annealing from the prior', 'Annealing', '--series-1', [], 3, 'distributions'),
  line(
    'reverse',
    'annealing back to the prior',
    'Annealing back',
    '--series-2',
    [],
    3,
    'distributions',
  ),
  line(
    'integration',
    'thermodynamic integration',
    'Thermodynamic integration',
    '--series-1',
    [2, 3],
    2,
    'distributions',
  ),
  line(
    'particles',
    'particle learning',
    'Particle learning',
    '--series-4',
    [],
    2.25,
    'sweeps a row',
  ),
  line(
    'sequentialHarmonic',
    'the sequential harmonic mean',
    'Sequential harmonic mean',
    '--series-4',
    [6, 3],
    2,
    'sweeps a row',
  ),
  line('nested', 'nested sampling', 'Nested sampling', '--series-5', [], 2.25, 'sweeps a step'),
  line('chib', 'Chib’s estimator', 'Chib', '--series-5', [6, 3], 2, 'sweeps'),
  line('variational', 'variational Bayes', 'Variational Bayes', '--series-6', [], 2, 'starts'),
  line(
    'symmetric',
    'variational Bayes with its symmetry',
    'With symmetry',
    '--series-6',
    [6, 3],
    2,
    'starts',
  ),
  line('bic', 'the BIC', 'BIC', '--series-6', [2, 3], 2, 'starts'),
  line('weighting', 'likelihood weighting', 'Likelihood weighting', '--series-3', [], 2, 'draws'),
  line('harmonic', 'the harmonic mean', 'Harmonic mean', '--series-2', [6, 3], 2, 'draws'),
];

function line(
  id: LineId,
  name: string,
  short: string,
  colour: `--${string}`,
  dash: number[],
  width: number,
  counts: string,
): Line {
  return { id, name, short, colour, ...(dash.length > 0 && { dash }), width, counts };
}

/** An estimator with one of its settings, run for all trials. */
export interface Job {
  /** The lines that it gives a point each. */
  lines: readonly LineId[];
  size: number;
  estimator: EstimatorSpec;
  /** How long it takes, in sweeps over the table: roughly, for the order of the jobs and the time left. */
  work: number;
}

/** Settings from short to long, and the work of one as a multiple of its size. */
interface Ladder {
  lines: readonly LineId[];
  sizes: readonly number[];
  spec: (size: number) => EstimatorSpec;
  /** Sweeps a size and trial, of a table of so many rows. */
  work: (rows: number) => number;
}

const DISTRIBUTIONS = [30, 100, 300, 1000, 3000, 10_000];

const LADDERS: readonly Ladder[] = [
  {
    lines: ['forward', 'reverse'],
    sizes: DISTRIBUTIONS,
    spec: (numDistributions) => ({ kind: 'annealing', numDistributions, reverse: true }),
    work: () => 2,
  },
  {
    lines: ['integration'],
    sizes: DISTRIBUTIONS,
    spec: (numDistributions) => ({ kind: 'thermodynamicIntegration', numDistributions }),
    work: () => 1,
  },
  {
    lines: ['particles'],
    sizes: [1, 3, 10, 30],
    spec: (numSweeps) => ({ kind: 'particleLearning', numSweeps }),
    work: (rows) => rows / 2,
  },
  {
    lines: ['sequentialHarmonic'],
    sizes: [1, 3, 10, 30],
    spec: (numSweeps) => ({ kind: 'sequentialHarmonicMean', numSweeps }),
    work: (rows) => rows / 2,
  },
  {
    lines: ['nested'],
    sizes: [1, 5, 20],
    spec: (numSweeps) => ({ kind: 'nestedSampling', numSweeps }),
    work: (rows) => 8 * rows,
  },
  {
    lines: ['chib'],
    sizes: [30, 100, 300, 1000],
    spec: (numSweeps) => ({ kind: 'chib', numSweeps }),
    work: () => 2,
  },
  ...[false, true].map(
    (symmetry): Ladder => ({
      lines: [symmetry ? 'symmetric' : 'variational'],
      sizes: [1, 5, 20],
      spec: (numRestarts) => ({ kind: 'variationalBayes', numRestarts, symmetry }),
      work: () => 100,
    }),
  ),
  {
    lines: ['bic'],
    sizes: [1, 5, 20],
    spec: (numRestarts) => ({ kind: 'bic', numRestarts }),
    work: () => 200,
  },
  {
    lines: ['weighting'],
    sizes: [100, 1000, 10_000],
    spec: (numDraws) => ({ kind: 'likelihoodWeighting', numDraws }),
    work: () => 0.6,
  },
  {
    lines: ['harmonic'],
    sizes: [100, 1000, 10_000],
    spec: (numDraws) => ({ kind: 'harmonicMean', numDraws }),
    work: () => 1,
  },
];

/** What a round trip to the workers costs, in sweeps. */
const CALL = 20;

/**
 * All jobs of a race, the short ones first; annealing with the fewest distributions before all, as errors are against it.
 * Of each estimator those that take no longer than the longest annealing, and the shortest in any case.
 */
export function planOf({ longest, trials }: Settings, rows: number): readonly Job[] {
  const most = 2 * longest;
  const jobs = LADDERS.flatMap(({ lines, sizes, spec, work }) =>
    sizes
      .filter((size, n) => n === 0 || size * work(rows) <= most)
      .map(
        (size): Job => ({
          lines,
          size,
          estimator: spec(size),
          work: CALL + trials * size * work(rows),
        }),
      ),
  );
  const [first, ...others] = jobs as [Job, ...Job[]];
  return [first, ...others.sort((a, b) => a.work - b.work)];
}
