import { choice, integer, real, type ValuesOf } from '../../lib/fields.js';
import { t } from '../../lib/language.js';
import { CRITICAL_TEMPERATURE } from '../../lib/onsager.js';

/** How a chain moves, as the engine calls it, and as people do. */
export const SAMPLERS = [
  {
    id: 'gibbs',
    name: t('Gibbs'),
    note: t('One spin after another, each drawn given its neighbours.'),
    colour: '--series-3',
  },
  {
    id: 'checkerboard',
    name: t('Checkerboard Gibbs'),
    note: t('The same, all black squares at once, then all white ones.'),
    colour: '--series-2',
  },
  {
    id: 'swendsenWang',
    name: t('Swendsen–Wang'),
    note: t('The lattice falls into clusters of agreeing spins, and each is turned or not.'),
    colour: '--series-1',
  },
  {
    id: 'wolff',
    name: t('Wolff'),
    note: t(
      'One cluster at a time, always turned; so many for a draw that they hold about all sites, or 10,000.',
    ),
    colour: '--series-5',
  },
] as const;

export type Sampler = (typeof SAMPLERS)[number]['id'];

/** Sites along a side. The least has over 4,096 sites: below, the engine fills in a dense matrix of couplings. */
export const SIDES = [96, 128, 256, 512, 1024, 2048, 4096] as const;

/** The largest lattice of all samplers. Larger ones are for the checkerboard alone, which needs no couplings in memory. */
export const MAX_COMMON_SIDE = 512;

/** Whether a sampler can have lattices of a side. */
export function isPossible(sampler: Sampler, side: number): boolean {
  return sampler === 'checkerboard' || side <= MAX_COMMON_SIDE;
}

export const MIN_TEMPERATURE = 1;
export const MAX_TEMPERATURE = 4;
export const MAX_FIELD = 0.5;

/** The temperatures of a sweep, close where much happens. */
export const SWEEP: readonly number[] = [
  1.2,
  1.6,
  1.8,
  2,
  2.1,
  2.18,
  2.23,
  CRITICAL_TEMPERATURE,
  2.31,
  2.36,
  2.44,
  2.6,
  2.8,
  3.1,
  3.5,
];

/** The state of the lab that a link carries. */
export const fields = {
  /** Sites along a side. */
  side: choice('512', ['96', '128', '256', '512', '1024', '2048', '4096']),
  sampler: choice('swendsenWang', ['gibbs', 'checkerboard', 'swendsenWang', 'wolff']),
  /** What computes the checkerboard. */
  device: choice('cpu', ['cpu', 'gpu']),
  /** At one temperature until it is stopped, or through the list of temperatures. */
  mode: choice('hold', ['hold', 'sweep']),
  /** k_B T in units of the coupling J. */
  temperature: real(CRITICAL_TEMPERATURE, MIN_TEMPERATURE, MAX_TEMPERATURE),
  /** In units of the coupling J. */
  field: real(0, -MAX_FIELD, MAX_FIELD),
  /** Spins at the start of a run that holds its temperature. A sweep starts with all alike. */
  start: choice('random', ['random', 'aligned']),
  /** Draws of a segment that is measured. */
  numDraws: integer(300, 20, 1000),
  seed: integer(1, 0, 2 ** 32 - 1),
};

export type Settings = ValuesOf<typeof fields>;

export function samplerOf(id: Sampler): (typeof SAMPLERS)[number] {
  return SAMPLERS.find((sampler) => sampler.id === id) ?? SAMPLERS[0];
}
