import type { Engine, ModelSpec } from 'unnorm';

/** The exact mean log likelihood of states, in nats, under a model whose log Z is known. */
export async function exactLogLikelihood(
  model: ModelSpec,
  states: Float64Array,
  engine: Engine,
  signal: AbortSignal,
): Promise<number> {
  const { logZ } = await engine.exact({ model }, { signal });
  const { energies } = await engine.energies({ model, states }, { signal });
  return -energies.reduce((sum, energy) => sum + energy, 0) / energies.length - logZ;
}
