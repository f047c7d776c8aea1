import type { StructureSpec } from 'unnorm';
import { choice, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { FILE_ID } from '../../lib/packed-rows.js';
import { SOURCE_IDS } from './sources.js';

/** A table, row after row. */
export interface Table {
  states: Float64Array;
  dim: number;
}

/** The state of the lab that a link carries. */
export const fields = {
  data: choice('coClusters', [...SOURCE_IDS, 'own']),
  /** Variance of the noise of a table that is made up. */
  noise: real(0.1, 0.1, 10),
  standardize: choice('whole', ['whole', 'columns']),
  maxDepth: integer(3, 1, 3),
  keep: integer(3, 1, 5),
  /** What a level has to gain, in nats a row and column. */
  minGain: real(1, 0.01, 100),
  numFolds: integer(5, 2, 10),
  seed: integer(1, 0, 2 ** 32 - 1),
  /** In which order rows and columns are shown when the structure is found. */
  order: choice('found', ['found', 'table']),
  /** Size and fingerprint of the visitor's file. */
  file: text(FILE_ID, 'the size and the fingerprint of a file'),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The settings that the result depends on, with all others as they are at first. */
export function settingsOfResult(settings: Settings): Settings {
  return { ...settings, order: fields.order.initial, digest: '' };
}

/** What the engine is asked for, but for the table. */
export function searchSpec({ standardize, maxDepth, keep, minGain, numFolds, seed }: Settings) {
  return { standardize, maxDepth, keep, minGain, numFolds, seed } satisfies Partial<StructureSpec>;
}
