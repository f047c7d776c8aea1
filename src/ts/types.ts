/**
 * The plain data that goes in and comes out of the verbs. What Rust reads and writes is declared by
 * Rust, in `generated`.
 */

import type { DataSpec } from './generated/DataSpec.js';
import type { Entries } from './generated/Entries.js';
import type { FitProgress as AnyFitProgress } from './generated/FitProgress.js';
import type { FitResult as AnyFitResult } from './generated/FitResult.js';
import type { ContinuousResult } from './generated/ContinuousResult.js';
import type { ModelSpec } from './generated/ModelSpec.js';
import type { SampleResult } from './generated/SampleResult.js';

export type { AdamSpec } from './generated/AdamSpec.js';
export type { BananaSpec } from './generated/BananaSpec.js';
export type { ConnectivitySpec } from './generated/ConnectivitySpec.js';
export type { CoordinatesSpec } from './generated/CoordinatesSpec.js';
export type { CovarianceKind } from './generated/CovarianceKind.js';
export type { CustomSpec } from './generated/CustomSpec.js';
export type { DoubleWellSpec } from './generated/DoubleWellSpec.js';
export type { DbnLayer } from './generated/DbnLayer.js';
export type { DbnSpec } from './generated/DbnSpec.js';
export type { ExactProgress } from './generated/ExactProgress.js';
export type { ExactResult } from './generated/ExactResult.js';
export type { ExactSpec } from './generated/ExactSpec.js';
export type { Expert } from './generated/Expert.js';
export type { FitSpec } from './generated/FitSpec.js';
export type { FormulaSpec } from './generated/FormulaSpec.js';
export type { FunnelSpec } from './generated/FunnelSpec.js';
export type { GaussianSpec } from './generated/GaussianSpec.js';
export type { HalfSpace } from './generated/HalfSpace.js';
export type { IcaSpec } from './generated/IcaSpec.js';
export type { InitSpec } from './generated/InitSpec.js';
export type { IsingSpec } from './generated/IsingSpec.js';
export type { LayerFit } from './generated/LayerFit.js';
export type { LbfgsSpec } from './generated/LbfgsSpec.js';
export type { LearningRate } from './generated/LearningRate.js';
export type { MeanFieldOrder } from './generated/MeanFieldOrder.js';
export type { MetricDamping } from './generated/MetricDamping.js';
export type { MetricForm } from './generated/MetricForm.js';
export type { MetricKind } from './generated/MetricKind.js';
export type { MixtureSpec } from './generated/MixtureSpec.js';
export type { MpfBound } from './generated/MpfBound.js';
export type { ObjectiveSpec } from './generated/ObjectiveSpec.js';
export type { OptimizerSpec } from './generated/OptimizerSpec.js';
export type { Pattern } from './generated/Pattern.js';
export type { ProductOfExpertsSpec } from './generated/ProductOfExpertsSpec.js';
export type { ProposalSpec } from './generated/ProposalSpec.js';
export type { RbmSpec } from './generated/RbmSpec.js';
export type { RegularizerSpec } from './generated/RegularizerSpec.js';
export type { RingSpec } from './generated/RingSpec.js';
export type { SampleProgress } from './generated/SampleProgress.js';
export type { SampleSpec } from './generated/SampleSpec.js';
export type { SemiRestrictedSpec } from './generated/SemiRestrictedSpec.js';
export type { SgdSpec } from './generated/SgdSpec.js';
export type { StartSpec } from './generated/StartSpec.js';
export type { TransitionSpec } from './generated/TransitionSpec.js';
export type { UniformSpins } from './generated/UniformSpins.js';
export type { ContinuousResult, DataSpec, Entries, ModelSpec, SampleResult };

/** Bit-packed rows of 0 and 1: each row padded to whole bytes, least significant bit first. */
export type PackedData = Omit<Extract<DataSpec, { kind: 'bits' }>, 'kind'>;

/** Data that were read, with what their entries were; a 0 of the bits is then the −1 of a spin. */
export type ReadData = PackedData & { entries: Entries };

/** The fields of a model that hold parameters: those that may be typed arrays. */
type ParamFields<M> = {
  [Field in keyof M]-?: Float64Array extends NonNullable<M[Field]> ? Field : never;
}[keyof M];

/** Other ways to give a model's parameters, which a fit does not use. */
type OtherForms = 'params' | 'uniform';

/** A model with its parameters filled in, as typed arrays. */
type Filled<M> = M extends unknown
  ? Omit<M, ParamFields<M> | OtherForms | 'layers'> & {
      [Field in Exclude<ParamFields<M>, OtherForms>]: Float64Array;
    } & FilledLayers<M>
  : never;

/** The layers of a model that has them, filled in alike. */
type FilledLayers<M> = M extends { sizes: number[]; layers?: (infer Layer)[] }
  ? { layers: Filled<Layer>[] }
  : unknown;

/** The kinds of models, such as `'ising'`. */
export type ModelKind = ModelSpec['kind'];

/** The kinds whose states are rows of zeros and ones. */
export type BinaryKind = 'ising' | 'rbm' | 'semiRestricted' | 'dbn';

/** What sampling a model of a kind gives. */
export type SampleResultOf<Kind extends ModelKind> = Kind extends BinaryKind
  ? SampleResult
  : ContinuousResult;

/** A model of a kind that came out of a fit. */
export type FittedModel<Kind extends ModelKind = ModelKind> = Filled<
  Extract<ModelSpec, { kind: Kind }>
>;

/** How far a fit of a model of a kind has come. */
export type FitProgress<Kind extends ModelKind = ModelKind> = Omit<AnyFitProgress, 'model'> & {
  model: FittedModel<Kind>;
};

/** What a fit of a model of a kind gives. */
export type FitResult<Kind extends ModelKind = ModelKind> = Omit<AnyFitResult, 'model'> & {
  model: FittedModel<Kind>;
};
