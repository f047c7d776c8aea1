import type {
  EnergiesProgress,
  EnergiesResult,
  EnergiesSpec,
  Engine,
  JobHandle,
  RunOptions,
} from 'unnorm';

/** What can be asked of the machines about rows. */
export interface Asked {
  model: object;
  states: Float64Array;
  conditionals?: boolean;
  hidden?: boolean;
  logProbabilities?: boolean;
}

export interface Told extends EnergiesResult {
  conditionals: Float64Array;
  hidden: Float64Array;
  logProbabilities: Float64Array;
}

export function tell(
  engine: Engine,
  asked: Asked,
  options: RunOptions<EnergiesProgress> = {},
): JobHandle<EnergiesProgress, Told> {
  return engine.energies(asked as unknown as EnergiesSpec, options) as unknown as JobHandle<
    EnergiesProgress,
    Told
  >;
}
