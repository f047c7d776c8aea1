/*
 * What both entries export besides `createEngine`.
 */

export {
  type Autocovariance,
  type AutocovarianceOptions,
  autocovariance,
} from './autocovariance.js';
export {
  type BayesFactor,
  bayesFactor,
  type EvidenceEstimate,
  type EvidenceStrength,
} from './bayes-factor.js';
export {
  type CouplingStrength,
  type CouplingStrengthsOptions,
  couplingStrengths,
} from './coupling-strengths.js';
export { type CustomFunction, moduleUrl } from './custom.js';
export type { Engine, EngineOptions } from './engine.js';
export { UnnormError, type UnnormErrorCode } from './errors.js';
export { readNpy, writeNpy } from './formats/npy.js';
export type { JobHandle, RunOptions } from './handle.js';
export { basisPatches, invertPatches, receptiveFields } from './patches.js';
export type * from './types.js';
