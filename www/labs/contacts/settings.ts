import type { FitSpec, SampleSpec } from 'unnorm';
import { choice, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { FILE_ID } from '../../lib/packed-rows.js';
import { FOLD_IDS } from './folds.js';

/** The state of the lab that a link carries. */
export const fields = {
  data: choice('meander', [...FOLD_IDS, 'own']),
  /** Letters of the alphabet of sequences that are drawn. */
  letters: integer(4, 2, 8),
  /** Standard deviation of true couplings. */
  strength: real(1, 0, 3),
  rows: integer(500, 50, 5000),
  /** Penalty on squares of fields and couplings, in nats a row. */
  penalty: real(0.01, 1e-4, 1),
  correction: choice('on', ['on', 'off']),
  /** Pairs that are told; empty for as many as there are contacts, or sites. */
  told: text(/^[1-9]\d{0,3}$/, 'a number of pairs'),
  seed: integer(1, 0, 2 ** 32 - 1),
  /** Size and fingerprint of the visitor's file. */
  file: text(FILE_ID, 'the size and the fingerprint of a file'),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The settings that the result depends on, with all others as they are at first. */
export function settingsOfResult(settings: Settings): Settings {
  const { letters, strength, rows, told, correction } = fields;
  return {
    ...settings,
    told: told.initial,
    correction: correction.initial,
    digest: '',
    ...(settings.data === 'own' && {
      letters: letters.initial,
      strength: strength.initial,
      rows: rows.initial,
    }),
  };
}

/** What is asked for in drawing sequences, but for the model: a Gibbs chain each, from anywhere. */
export function drawSpec({ rows, seed }: Settings) {
  return {
    transition: { kind: 'gibbs' },
    numChains: rows,
    numWarmup: 300,
    numDraws: 1,
    moments: false,
    seed,
  } as const satisfies Partial<SampleSpec>;
}

/** What is asked for in a fit, but for model and data. */
export function fitSpec({ penalty, seed }: Settings) {
  return {
    objective: { kind: 'pseudolikelihood' },
    regularizer: { kind: 'l2', strength: penalty, includeBiases: true },
    optimizer: { kind: 'lbfgs', memory: 5 },
    seed,
  } as const satisfies Partial<FitSpec>;
}
