import { choice, formula, integer, real, type ValuesOf } from '../../lib/fields.js';
import { FORMULA } from '../../lib/plane-targets.js';
import { type Sampler, samplerField } from './samplers.js';
import { TARGET_IDS, TARGETS } from './targets.js';

const USUAL: Sampler = {
  kind: 'hmc',
  stepSize: TARGETS.ring.steps.leapfrog,
  tuned: false,
  numLeapfrogSteps: 20,
  momentumRefresh: 1,
  momentumFlips: 'standard',
  numRungs: 6,
};

/** The samplers side by side: their names on the page and their colours. */
export const LANES = [
  { id: 'a', name: 'A', colour: '--series-2' },
  { id: 'b', name: 'B', colour: '--series-1' },
  { id: 'c', name: 'C', colour: '--series-5' },
] as const;
export type LaneId = (typeof LANES)[number]['id'];

export const CHAIN_COUNTS = [1, 4, 16, 100, 1000] as const;
export const STEP_COUNTS = [100, 300, 1000, 2000] as const;

/** The state of the lab that a link carries. */
export const fields = {
  target: choice('ring', TARGET_IDS),
  /** The parameter of the target. */
  shape: real(TARGETS.ring.shape.initial, -1, 400),
  formula: formula(FORMULA),
  /** Half the side of the window, for the formula. */
  reach: real(4, 0.5, 50),
  a: samplerField({ ...USUAL, kind: 'metropolis', stepSize: TARGETS.ring.steps.walk }),
  b: samplerField(USUAL),
  c: samplerField({ ...USUAL, kind: 'off' }),
  chains: integer(100, 1, 1000),
  steps: integer(1000, 10, 2000),
  seed: integer(1, 0, 2 ** 53 - 1),
  /** Where chains start: at standard normal numbers, or at exact draws, which a formula has not. */
  start: choice('random', ['random', 'exact']),
};

export type Settings = ValuesOf<typeof fields>;

const FIGURE_HMC: Sampler = {
  ...USUAL,
  stepSize: 0.1,
  numLeapfrogSteps: 1,
  // 1 − 2^(−ε): half of the momentum's power in unit time.
  momentumRefresh: 0.067,
};

/** Figure 6.3 of Sohl-Dickstein's thesis (2012): standard momentum flips beside reduced ones. */
export const FIGURE: Partial<Settings> = {
  target: 'ring',
  shape: TARGETS.ring.shape.initial,
  a: FIGURE_HMC,
  b: { ...FIGURE_HMC, momentumFlips: 'reduced' },
  c: { ...USUAL, kind: 'off' },
  chains: 100,
  steps: 2000,
  start: 'exact',
};
