import type { Engine, FitResult } from 'unnorm';
import { energiesOf, flowObjective, type ProbabilityFlow } from '../../lib/probability-flow.js';
import { type Counts, nameOf } from './data.js';
import type { Settings } from './settings.js';
import { exactSpec, fitSpec } from './specs.js';

/** How far what the page computes is from what the engine does. */
export interface Checks {
  /** K at the couplings given and at those fitted, relative. */
  objective: number;
  /** p⁽∞⁾ of any state. */
  equilibrium: number;
  /** λ₂, relative to the eigenvalue farthest from 0, as rounding is. */
  lambda2: number;
  /** The bound on the mean log likelihood, in nats a row. */
  bound: number;
}

export const TOLERANCE = 1e-12;

/** Compares the page's numbers of the model given, and of the one fitted, with the engine's. */
export async function checksOf(
  engine: Engine,
  settings: Settings,
  counts: Counts,
  given: ProbabilityFlow,
  fitted: FitResult<'ising'>,
): Promise<Checks> {
  const { spins: dim } = settings;
  // No step: the objective is evaluated where the fit begins.
  const before = await engine.fit(fitSpec(settings, counts, 0)).result;
  const exact = await engine.exact(exactSpec(settings, counts)).result;
  const states = Array.from({ length: 2 ** dim }, (_, state) =>
    [...nameOf(state, dim)].map(Number),
  );
  const { energies } = await engine.energies({
    model: exactSpec(settings, counts).model,
    states: states.flat(),
  }).result;
  const excludeData = settings.between === 'out';
  const options = { allFlips: given.allFlips, excludeData };
  const atFit = flowObjective(
    energiesOf(fitted.model.couplings ?? [], dim),
    given.start,
    dim,
    options,
  );
  const largest = Math.abs(given.eigenvalues.at(-1) ?? 1);
  const bound = exact.mpfBound?.logLikelihood ?? Number.NaN;
  const isSame = bound === given.likelihoodBound;
  return {
    objective: Math.max(
      relative(given.objective(excludeData), before.objective),
      relative(atFit, fitted.objective),
    ),
    equilibrium: Math.max(
      ...given.equilibrium.map((p, state) =>
        Math.abs(p - Math.exp(-(energies[state] ?? Number.NaN) - exact.logZ)),
      ),
    ),
    lambda2: Math.abs((exact.mpfBound?.lambda2 ?? Number.NaN) - given.lambda2) / largest,
    bound: isSame ? 0 : Math.abs(bound - given.likelihoodBound),
  };
}

function relative(found: number, expected: number): number {
  return found === expected ? 0 : Math.abs(found - expected) / Math.abs(expected);
}
