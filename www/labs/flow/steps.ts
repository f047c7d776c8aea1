import type { FitProgress, FitResult } from 'unnorm';
import {
  energiesOf,
  flowObjective,
  logZOf,
  type ProbabilityFlow,
  rateMatrix,
} from '../../lib/probability-flow.js';

/** Where the fit is after so many evaluations. */
export interface FlowStep {
  /** Evaluations of K so far. */
  step: number;
  /** J, row-major. */
  couplings: Float64Array;
  /** K as it is minimized. */
  objective: number;
  /** The flow to states that are not data: the slope of KL(p⁽⁰⁾‖p⁽ᵗ⁾) at 0. */
  slope: number;
  /** KL(p⁽⁰⁾‖p⁽∞⁾), in nats. */
  divergence: number;
}

/** Beyond it, eigenvalues near 0 would drown in the rounding of the large ones. */
const FASTEST = 1e8;

/** Whether rates are small enough for the flow to be computed. */
export function isWithinReach(couplings: Float64Array, dim: number): boolean {
  return rateMatrix(energiesOf(couplings, dim), dim, true).every(
    (rate) => Math.abs(rate) <= FASTEST,
  );
}

export function stepOf(
  { numEvaluations, objective }: FitProgress<'ising'> | FitResult<'ising'>,
  couplings: Float64Array,
  { start, dim, allFlips }: ProbabilityFlow,
): FlowStep {
  const energies = energiesOf(couplings, dim);
  const logZ = logZOf(energies);
  const divergence = start.reduce(
    (sum, p, state) => (p > 0 ? sum + p * (Math.log(p) + (energies[state] ?? 0) + logZ) : sum),
    0,
  );
  return {
    step: numEvaluations,
    couplings,
    objective,
    slope: flowObjective(energies, start, dim, { allFlips, excludeData: true }),
    divergence: Math.max(0, divergence),
  };
}
