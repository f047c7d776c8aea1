import type { BaseKernel, KernelsSpec } from 'unnorm';
import { choice, integer, someOf, text, type ValuesOf } from '../../lib/fields.js';
import { FILE_ID } from '../../lib/packed-rows.js';
import { timesAfter } from '../../lib/time-series.js';
import { SOURCE_IDS } from './sources.js';

/** In the order in which the engine takes them: random starts depend on it. */
export const BASE_KERNELS: Record<BaseKernel, string> = {
  SE: 'SE, smooth',
  PER: 'PER, periodic',
  LIN: 'LIN, a straight line',
  RQ: 'RQ, smooth at many scales',
};

/** The state of the lab that a link carries. */
export const fields = {
  data: choice('airline', [...SOURCE_IDS, 'own']),
  /** Whether the search sees two thirds alone, or all. */
  hide: choice('third', ['third', 'nothing']),
  /** Number of neighbouring values of which means are taken. */
  meansOver: integer(1, 1, 50),
  baseKernels: someOf(Object.keys(BASE_KERNELS) as BaseKernel[]),
  maxDepth: integer(4, 1, 10),
  restarts: integer(2, 0, 20),
  seed: integer(1, 0, 2 ** 53 - 1),
  /** The level that is looked at, counted from 1; empty for the best. */
  level: text(/^([1-9]|10)$/, 'the number of a level'),
  /** Size and fingerprint of the visitor's file. */
  file: text(FILE_ID, 'the size and the fingerprint of a file'),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The settings that the result depends on, with all others as they are at first. */
export function settingsOfResult(settings: Settings): Settings {
  return { ...settings, level: '', digest: '' };
}

export interface Series {
  times: readonly number[];
  values: readonly number[];
}

/** How many of the values the search sees. */
export function numSeen({ values }: Series, { hide }: Settings): number {
  return hide === 'third' ? Math.round((2 * values.length) / 3) : values.length;
}

/** Where the function is predicted: at all times, and if none of them is hidden, as far again as a third of them reach. */
export function timesPredicted({ times }: Series, { hide }: Settings): number[] {
  if (hide === 'third') return [...times];
  return [...times, ...timesAfter(times, Math.round(times.length / 3))];
}

/** What the engine is asked for, but for the numbers of the series. */
export function searchSpec(settings: Settings) {
  const { baseKernels, maxDepth, restarts, seed } = settings;
  return {
    baseKernels: [...baseKernels],
    maxDepth,
    numRestarts: restarts,
    seed,
  } satisfies Partial<KernelsSpec>;
}

export function kernelsSpec(series: Series, settings: Settings): KernelsSpec {
  const seen = numSeen(series, settings);
  return {
    inputs: series.times.slice(0, seen),
    values: series.values.slice(0, seen),
    predict: timesPredicted(series, settings),
    ...searchSpec(settings),
  };
}
