/**
 * The plain data that goes in and comes out of the verbs.
 */

/** Which pairs of sites may interact. */
export type Pattern =
  | { kind: 'dense' }
  | { kind: 'lattice'; numRows: number; numCols: number; periodic: boolean }
  | { kind: 'pairs'; pairs: [number, number][] };

/**
 * The Ising model, E(x) = xᵀJx with x ∈ {0,1}^dim. `couplings` is the symmetric J, row-major
 * [dim, dim], with the biases on the diagonal; entries off the pattern must be 0. Absent: zeros.
 */
export interface IsingSpec {
  dim: number;
  pattern?: Pattern;
  couplings?: Float64Array | number[];
}

export type ModelSpec = { kind: 'ising' } & IsingSpec;

export type ConnectivitySpec = { kind: 'singleFlips' };

export type ObjectiveSpec = { kind: 'mpf'; connectivity?: ConnectivitySpec };

export type OptimizerSpec = {
  kind: 'lbfgs';
  memory?: number;
  maxIterations?: number;
  tolerance?: number;
};

/** Where a fit starts: at the model's own parameters, or with seeded noise added to them. */
export type InitSpec = { kind: 'model' } | { kind: 'normal'; scale: number };

/** What a finished or unfinished fit reports. */
export interface FitProgress {
  verb: 'fit';
  iteration: number;
  numEvaluations: number;
  objective: number;
  gradNorm: number;
  /** An estimate, from 0 to 1. */
  fraction: number;
  done: boolean;
  /** The model so far. */
  model: ModelSpec;
}

export interface FitResult {
  model: ModelSpec;
  objective: number;
  gradNorm: number;
  numIterations: number;
  numEvaluations: number;
  converged: boolean;
  stopReason: string;
  seed: number;
  /** SHA-256 of the numbers, in hexadecimal. */
  digest: string;
}

export interface SampleProgress {
  verb: 'sample';
  numDraws: number;
  fraction: number;
  done: boolean;
}

export interface SampleResult {
  /** [numDraws × numChains] rows, draw-major. */
  draws: PackedData;
  /** E[x_i x_j], [dim, dim]. */
  moments: Float64Array;
  /** Standard errors of `moments`, from the variance between chains. */
  momentErrors: Float64Array;
  seed: number;
  digest: string;
}

export interface ExactSpec {
  model: ModelSpec;
}

export interface ExactProgress {
  verb: 'exact';
  fraction: number;
  done: boolean;
}

export interface ExactResult {
  logZ: number;
  /** E[x_i x_j], [dim, dim]. */
  moments: Float64Array;
  meanEnergy: number;
  entropy: number;
  digest: string;
}

/** Bit-packed rows of 0 and 1: each row padded to whole bytes, least significant bit first. */
export interface PackedData {
  dim: number;
  numRows: number;
  bits: Uint8Array;
}

/** Rows of 0 and 1, in any of five forms. Arrays are copied, never detached. */
export type DataSpec =
  | { kind: 'rows'; rows: number[][] }
  | { kind: 'values'; dim: number; values: Uint8Array | Float64Array | number[] }
  | ({ kind: 'bits' } & PackedData)
  | { kind: 'csv'; bytes: Uint8Array }
  | { kind: 'npy'; bytes: Uint8Array };

export interface FitSpec {
  model: ModelSpec;
  data: DataSpec;
  objective?: ObjectiveSpec;
  optimizer?: OptimizerSpec;
  init?: InitSpec;
  seed?: number;
}

export interface SampleSpec {
  model: ModelSpec;
  transition: { kind: 'gibbs' };
  numChains: number;
  numWarmup: number;
  numDraws: number;
  numSweepsPerDraw?: number;
  start?: { kind: 'random' } | { kind: 'data'; data: DataSpec };
  seed?: number;
}
