import { PLANE_TARGETS, type PlaneTarget } from '../../lib/plane-targets.js';

/** Step sizes to begin with: of the leapfrog, and of Metropolis's random walk. */
interface Steps {
  leapfrog: number;
  walk: number;
}

export const TARGET_IDS = [
  'ring',
  'gaussian',
  'mixture',
  'banana',
  'funnel',
  'doubleWell',
  'formula',
] as const;
export type TargetId = (typeof TARGET_IDS)[number];

export const TARGETS: Record<Exclude<TargetId, 'formula'>, PlaneTarget & { steps: Steps }> = {
  ring: { ...PLANE_TARGETS.ring, steps: { leapfrog: 0.07, walk: 0.15 } },
  gaussian: { ...PLANE_TARGETS.gaussian, steps: { leapfrog: 0.3, walk: 0.6 } },
  mixture: { ...PLANE_TARGETS.mixture, steps: { leapfrog: 0.3, walk: 1 } },
  banana: { ...PLANE_TARGETS.banana, steps: { leapfrog: 0.12, walk: 0.4 } },
  funnel: { ...PLANE_TARGETS.funnel, steps: { leapfrog: 0.25, walk: 1 } },
  doubleWell: { ...PLANE_TARGETS.doubleWell, steps: { leapfrog: 0.25, walk: 0.8 } },
};

/** Names of the targets, for the list to choose from. */
export const TARGET_NAMES: Record<TargetId, string> = {
  ...(Object.fromEntries(Object.entries(TARGETS).map(([id, { name }]) => [id, name])) as Record<
    keyof typeof TARGETS,
    string
  >),
  formula: 'Your formula',
};

export const FORMULA_STEPS = { leapfrog: 0.1, walk: 0.4 };
