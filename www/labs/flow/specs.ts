import type { ConnectivitySpec, ExactSpec, FitSpec } from 'unnorm';
import { type Counts, rowsOf } from './data.js';
import { couplingsOf } from './models.js';
import type { Settings } from './settings.js';

export type FlowFitSpec = FitSpec & { model: { kind: 'ising' } };

function modelOf(settings: Settings) {
  return {
    kind: 'ising' as const,
    dim: settings.spins,
    couplings: Array.from(couplingsOf(settings)),
  };
}

function connectivityOf({ connectivity }: Settings): ConnectivitySpec {
  return { kind: connectivity };
}

/** The fit, from the couplings given; without `maxIterations: 0` all of its way. */
export function fitSpec(settings: Settings, counts: Counts, maxIterations?: number): FlowFitSpec {
  return {
    model: modelOf(settings),
    data: { kind: 'rows', rows: rowsOf(counts) },
    objective: {
      kind: 'mpf',
      connectivity: connectivityOf(settings),
      excludeData: settings.between === 'out',
    },
    optimizer: { kind: 'lbfgs', ...(maxIterations !== undefined && { maxIterations }) },
    init: { kind: 'model' },
    seed: 1,
  };
}

/** What is exact about the model given. */
export function exactSpec(settings: Settings, counts: Counts): ExactSpec {
  return {
    model: modelOf(settings),
    data: { kind: 'rows', rows: rowsOf(counts) },
    connectivity: connectivityOf(settings),
  };
}
