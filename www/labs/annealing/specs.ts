import type { LogZSpec, ScheduleSpec, TransitionSpec } from 'unnorm';
import type { Gaussian, PathKind } from '../../lib/gaussian-paths.js';
import { drawn } from '../../lib/schedules.js';
import { MOMENTUM_REFRESH, type Settings } from './settings.js';

/** What the engine is asked for one path and one number of distributions. */
export function specOf(settings: Settings, path: PathKind, numDistributions: number): LogZSpec {
  return {
    model: modelOf(settings.target),
    reference: { kind: 'model', model: modelOf(settings.start) },
    path: { kind: path },
    schedule: scheduleOf(settings, numDistributions),
    transition: transitionOf(settings),
    numChains: settings.particles,
    numDistributions,
    seed: settings.seed,
  };
}

export function modelOf({ mean, covariance: [xx, xy, yy] }: Gaussian) {
  return { kind: 'gaussian' as const, dim: 2, mean: [...mean], covariance: [xx, xy, xy, yy] };
}

function transitionOf({ transition }: Settings): TransitionSpec {
  if (transition !== 'hmc') return { kind: transition };
  return { kind: 'hmc', numLeapfrogSteps: 1, momentumRefresh: MOMENTUM_REFRESH };
}

function scheduleOf({ schedule, curve }: Settings, numDistributions: number): ScheduleSpec {
  if (schedule === 'drawn') return { kind: 'given', betas: drawn(curve, numDistributions) };
  return { kind: schedule };
}
