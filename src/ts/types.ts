/**
 * The plain data that verbs take and return. Rust declares what it reads and writes, in
 * `generated`.
 */

import type { ContinuousResult } from './generated/ContinuousResult.js';
import type { DataSpec } from './generated/DataSpec.js';
import type { Entries } from './generated/Entries.js';
import type { FitProgress as AnyFitProgress } from './generated/FitProgress.js';
import type { FitResult as AnyFitResult } from './generated/FitResult.js';
import type { FitSpec as AnyFitSpec } from './generated/FitSpec.js';
import type { LatentResult } from './generated/LatentResult.js';
import type { ModelSpec } from './generated/ModelSpec.js';
import type { PatchesResult as AnyPatchesResult } from './generated/PatchesResult.js';
import type { PatchTransform } from './generated/PatchTransform.js';
import type { SampleResult } from './generated/SampleResult.js';

export type * from './generated/index.js';

/** Bit-packed rows of 0 and 1: each row padded to whole bytes, least significant bit first. */
export type PackedData = Omit<Extract<DataSpec, { kind: 'bits' }>, 'kind'>;

/** Data that were read, with the encoding of their entries; for spins, a 0 bit stands for −1. */
export type ReadData = PackedData & { entries: Entries };

/** The fields of a model that hold parameters, which may be typed arrays. */
type ParamFields<M> = {
  [Field in keyof M]-?: Float64Array extends NonNullable<M[Field]> ? Field : never;
}[keyof M];

/** Other ways to give a model's parameters, which a fit does not use. */
type OtherForms = 'params' | 'uniform' | 'covariance';

/** A model with its parameters filled in, as typed arrays. */
type Filled<M> = M extends unknown
  ? Omit<M, ParamFields<M> | 'uniform' | 'layers'> & {
      [Field in Exclude<ParamFields<M>, OtherForms>]: Float64Array;
    } & FilledLayers<M>
  : never;

/** The layers of a model that has them, also filled in. */
type FilledLayers<M> = M extends { sizes: number[]; layers?: (infer Layer)[] }
  ? { layers: Filled<Layer>[] }
  : unknown;

/** The kinds of models, such as `'ising'`. */
export type ModelKind = ModelSpec['kind'];

/** The kinds whose states are rows of zeros and ones. */
export type BinaryKind =
  | 'ising'
  | 'rbm'
  | 'semiRestricted'
  | 'marginal'
  | 'potts'
  | 'categoricalRbm'
  | 'dbn';

/** The kinds of models of tables with hidden variables, of which these are drawn. */
export type TableKind = 'clustering' | 'lowRank' | 'binaryAttributes';

/**
 * The result of sampling a model of a kind; a formula is of bits where it is `binary`, and combined
 * energies are where those are that they are combined of.
 */
export type SampleResultOf<
  Kind extends ModelKind,
  Binary extends boolean = false,
  PartKind extends ModelKind = ModelKind,
> = Kind extends BinaryKind
  ? SampleResult
  : Kind extends TableKind
    ? LatentResult
    : Kind extends 'formula'
      ? Binary extends true
        ? SampleResult
        : ContinuousResult
      : Kind extends 'combined'
        ? CombinedResultOf<PartKind>
        : ContinuousResult;

/** A part of a combined energy, with a model of this kind. Other fields are not looked at. */
export type PartOf<Kind extends ModelKind> = {
  model: { kind: Kind; [field: string]: unknown };
  [field: string]: unknown;
};

type CombinedResultOf<PartKind extends ModelKind> = PartKind extends BinaryKind
  ? SampleResult
  : PartKind extends 'formula' | 'combined'
    ? SampleResult | ContinuousResult
    : ContinuousResult;

/** A fitted model of a kind. */
export type FittedModel<Kind extends ModelKind = ModelKind> = Filled<
  Extract<ModelSpec, { kind: Kind }>
>;

/**
 * The spec of `fit`: for binary models `data` are rows of zeros and ones; for models on ℝᴰ `states`
 * are rows of numbers, one after another.
 */
export type FitSpec = Omit<AnyFitSpec, 'data' | 'states'> &
  (Required<Pick<AnyFitSpec, 'data'>> | Required<Pick<AnyFitSpec, 'states'>>);

/** Progress of a fit of a model of a kind. */
export type FitProgress<Kind extends ModelKind = ModelKind> = Omit<AnyFitProgress, 'model'> & {
  model: FittedModel<Kind>;
};

/** The result of a fit of a model of a kind. */
export type FitResult<Kind extends ModelKind = ModelKind> = Omit<AnyFitResult, 'model'> & {
  model: FittedModel<Kind>;
};

/** The result of taking patches. */
export type PatchesResult = Omit<AnyPatchesResult, 'transform'> & {
  transform: Filled<PatchTransform>;
};
