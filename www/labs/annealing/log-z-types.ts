/* Until the engine has them. */
import type { JobHandle, TransitionSpec as Known, ModelSpec, RunOptions } from 'unnorm';
export type TransitionSpec = Known | { kind: 'perfect' };
export interface Estimated {
  value: number;
  standardError: number;
  interval: { lower: number; upper: number };
}
export interface RunReport {
  logZ: Estimated;
  bootstrap: { lower: number; upper: number };
  meanLogWeight: number;
  meanLogWeightError: number;
  weightEss: number;
  logWeights: Float64Array;
  integral?: Estimated;
  betas: Float64Array;
  acceptance: Float64Array;
}
export interface LogZProgress {
  verb: 'logZ';
  phase: 'pilot' | 'forward' | 'draw' | 'dwell' | 'reverse' | 'rows';
  beta: number;
  logWeights: Float64Array;
  states?: Float64Array;
  fraction: number;
  done: boolean;
}
export interface LogZResult {
  logZ: number;
  standardError: number;
  interval: { lower: number; upper: number };
  referenceLogZ: number;
  forward: RunReport;
  bounds: { lower: number; failureProbability: number };
  exactLogZ?: number;
  schedule: Float64Array;
  warnings: string[];
  seed: number;
  digest: string;
}
export type ScheduleSpec =
  | { kind: 'adaptive' | 'linear' }
  | { kind: 'sigmoidal'; delta?: number }
  | { kind: 'optimalBinned'; numBins?: number }
  | { kind: 'given'; betas: number[] };
export interface LogZSpec {
  model: ModelSpec;
  reference?: { kind: 'model'; model: ModelSpec };
  path?: { kind: 'geometric' | 'momentAverages' };
  schedule?: ScheduleSpec;
  transition?: TransitionSpec;
  numChains: number;
  numDistributions: number;
  resampling?: { threshold?: number; numStages?: number };
  seed?: number;
}
export interface NormalizingEngine {
  logZ(spec: LogZSpec, run?: RunOptions<LogZProgress>): JobHandle<LogZProgress, LogZResult>;
}
