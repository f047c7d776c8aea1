import type { FitResult, PathSpec, ReferenceSpec } from 'unnorm';
import type { RbmParams } from '../../lib/rbm.js';

/** The machine, as `engine.fit` has it. */
export type Machine = FitResult<'rbm'>['model'];

/** A path through the parameters of machines, both ends among its knots. */
export interface Way {
  betas: readonly number[];
  /** `[W row-major (hidden × visible) | c (visible) | b (hidden)]`. */
  params: readonly Float64Array[];
  numVisible: number;
}

export function wayOf(machine: Machine, reference: ReferenceSpec, path: PathSpec): Way {
  const { weights, visibleBias, hiddenBias } = machine;
  const size = weights.length + visibleBias.length + hiddenBias.length;
  const first = new Float64Array(size);
  if (reference.kind === 'independent') first.set(reference.logOdds, weights.length);
  const last = Float64Array.from([...weights, ...visibleBias, ...hiddenBias]);
  const knots = path.kind === 'knots' ? path : { betas: [], params: new Float64Array() };
  const between = Array.from(knots.betas, (_, n) =>
    Float64Array.from(knots.params.slice(n * size, (n + 1) * size)),
  );
  return {
    betas: [0, ...knots.betas, 1],
    params: [first, ...between, last],
    numVisible: visibleBias.length,
  };
}

/** The machine at β: along straight lines between the knots. */
export function machineAt({ betas, params, numVisible }: Way, beta: number): RbmParams {
  const next = Math.max(
    1,
    betas.findIndex((knot) => knot >= beta),
  );
  const [before, after] = [betas[next - 1] ?? 0, betas[next] ?? 1];
  const t = (beta - before) / (after - before);
  const [from, to] = [params[next - 1], params[next]];
  if (!from || !to) throw new RangeError(`There is no machine at β = ${beta}.`);
  const all = from.map((value, n) => (1 - t) * value + t * (to[n] ?? 0));
  const end = numVisible * ((all.length - numVisible) / (numVisible + 1));
  return {
    weights: all.subarray(0, end),
    visibleBias: all.subarray(end, end + numVisible),
    hiddenBias: all.subarray(end + numVisible),
  };
}
