import { choice, type Field, integer, type ValuesOf } from '../../lib/fields.js';
import type { PathKind, Point } from '../../lib/gaussian-paths.js';
import { t } from '../../lib/language.js';
import { gaussianField, PRESETS } from './ends.js';

/** The two paths: their names on the page and their colours. */
export const PATHS = [
  { id: 'geometric', name: t('Geometric averages'), short: 'geometric', colour: '--series-2' },
  { id: 'momentAverages', name: t('Moment averages'), short: 'moments', colour: '--series-1' },
] as const satisfies readonly {
  id: PathKind;
  name: string;
  short: string;
  colour: `--${string}`;
}[];

export const TRANSITION_NAMES = {
  perfect: t('Perfect: an exact draw'),
  hmc: t('Hamiltonian (HAIS)'),
  gibbs: t('Gibbs, x then y'),
  metropolis: t('Metropolis'),
} as const;
export type TransitionName = keyof typeof TRANSITION_NAMES;
export const TRANSITIONS = Object.keys(TRANSITION_NAMES) as TransitionName[];

export const SCHEDULE_NAMES = {
  linear: t('Linear'),
  sigmoidal: t('Sigmoidal'),
  optimalBinned: t('Optimal in ten bins'),
  adaptive: t('Adaptive, by pilot runs'),
  drawn: t('Drawn by hand'),
} as const;
export type ScheduleName = keyof typeof SCHEDULE_NAMES;
export const SCHEDULES = Object.keys(SCHEDULE_NAMES) as ScheduleName[];

export const MAX_COUNTS = [10, 25, 50, 100, 250, 500, 1000, 2500] as const;
export const PARTICLE_COUNTS = [200, 1000, 5000, 20_000] as const;

/** Of γ, the part of the momentum's power that is new at each step: half of it in unit time at ε = 0.2. */
export const MOMENTUM_REFRESH = 0.13;

/** Points of a drawn schedule. */
export const NUM_POINTS = 4;
/** The least distance between two of them, and from the ends, in either coordinate. */
export const MIN_GAP = 0.01;

/** Whether the points ascend as they have to. */
function isCurve(points: readonly Point[]): boolean {
  const all: Point[] = [[0, 0], ...points, [1, 1]];
  return all.every(([x, y], n) => {
    const before = all[n - 1];
    // A gap may come out a little smaller when it is written in decimals.
    return !before || (x - before[0] > 0.9 * MIN_GAP && y - before[1] > 0.9 * MIN_GAP);
  });
}

const curve: Field<readonly Point[]> = {
  initial: [
    [0.2, 0.05],
    [0.4, 0.3],
    [0.6, 0.7],
    [0.8, 0.95],
  ],
  expects: t('{NUM_POINTS} points that ascend, as this page writes them, x_y_x_y…', { NUM_POINTS }),
  parse: (text) => {
    const parts = text.split('_');
    if (parts.length !== 2 * NUM_POINTS || !parts.every((part) => /^0\.\d{1,6}$/.test(part)))
      return undefined;
    const points = Array.from(
      { length: NUM_POINTS },
      (_, n): Point => [Number(parts[2 * n]), Number(parts[2 * n + 1])],
    );
    return isCurve(points) ? points : undefined;
  },
  print: (points) => points.flat().join('_'),
};

/** The state of the lab that a link carries. */
export const fields = {
  start: gaussianField(PRESETS.paper.start),
  target: gaussianField(PRESETS.paper.target),
  transition: choice<TransitionName>('perfect', TRANSITIONS),
  schedule: choice<ScheduleName>('linear', SCHEDULES),
  /** Of a schedule drawn by hand: β against the share of the distributions. */
  curve,
  /** The greatest number of distributions. */
  most: integer(1000, 10, 5000),
  particles: integer(5000, 50, 50_000),
  seed: integer(1, 0, 2 ** 53 - 1),
};

export type Settings = ValuesOf<typeof fields>;

/** The numbers of distributions that are run, up to the greatest. */
export function rungsUpTo(most: number): number[] {
  return [...MAX_COUNTS.filter((count) => count < most), most];
}
/** Most of them that there can be. */
export const MAX_RUNGS = MAX_COUNTS.length + 1;
