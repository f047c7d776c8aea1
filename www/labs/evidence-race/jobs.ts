import type { Engine, EvidenceSpec } from 'unnorm';
import { modelSpec, type Settings } from './settings.js';

/** All of a job but its estimator. `own` are the states of a table, and count only where it is the visitor's. */
export function raceSpec(
  settings: Settings,
  dim: number,
  own: Float64Array | undefined,
): EvidenceSpec {
  const { data, model, rows, trials, seed } = settings;
  return {
    model: modelSpec(model, settings, dim),
    ...(data === 'own' ? { states: own ?? new Float64Array() } : { simulate: { numRows: rows } }),
    numTrials: trials,
    seed,
  };
}

/** The smallest job that draws the table. */
export function tableSpec(settings: Settings): EvidenceSpec {
  return {
    ...raceSpec(settings, settings.columns, undefined),
    estimator: { kind: 'particleLearning' },
    numTrials: 1,
  };
}

export async function drawnTable(engine: Engine, spec: EvidenceSpec): Promise<Float64Array> {
  const { simulated } = await engine.evidence(spec).result;
  if (!simulated) throw new Error('The engine has drawn no table.');
  return simulated.states;
}
