import type { Engine } from 'unnorm';
import { breather } from '../../frame/breather.js';
import { type Digits, logOdds, unpackRow } from '../../lib/digits.js';
import { firstRows } from '../../lib/packed-rows.js';
import {
  crossEntropy,
  exchanged,
  MAX_ENUMERATED,
  type RbmParams,
  RbmReader,
} from '../../lib/rbm.js';

/** What the held-out digits say of a model, means in nats a digit. */
export interface Judgement {
  /** −ln p of the digits' pixels under their reconstruction. */
  reconstruction: number;
  pseudolikelihood: number;
  /** Exact; null where there are too many hidden units for enumeration. */
  logLikelihood: number | null;
  /** log Z in nats, alike. */
  logZ: number | null;
}

/** How many held-out digits are gone through on the way; the end is judged by all of them. */
export const NUM_ON_THE_WAY = 200;
/** The held-out digits, unpacked. */
export function heldOutRows({ heldOut }: Digits): Uint8Array[] {
  return Array.from({ length: heldOut.numRows }, (_, row) => unpackRow(heldOut, row));
}

/** Goes through the rows in short slices, and has the engine enumerate the hidden units where that can be done. */
export async function judge(
  model: RbmParams,
  rows: readonly Uint8Array[],
  engine: Engine,
  signal: AbortSignal,
): Promise<Judgement> {
  const reader = new RbmReader(model);
  const breathe = breather(signal);
  let reconstruction = 0;
  let pseudolikelihood = 0;
  let energy = 0;
  for (const row of rows) {
    reconstruction += crossEntropy(row, reader.reconstruction(row)) / rows.length;
    pseudolikelihood += reader.negLogPseudolikelihood(row) / rows.length;
    energy += reader.energy(row) / rows.length;
    await breathe();
  }
  // All states of the few hidden units, in the place of all images: log Z is the same.
  const logZ =
    reader.numHidden <= MAX_ENUMERATED
      ? (await engine.exact({ model: exchanged(model) }, { signal })).logZ
      : null;
  const logLikelihood = logZ === null ? null : -energy - logZ;
  return { reconstruction, pseudolikelihood, logLikelihood, logZ };
}

/** The exact mean log likelihood of rows, in nats, if pixels were independent, as those of the training digits are on. */
export function independentLogLikelihood(
  digits: Digits,
  numTraining: number,
  rows: readonly Uint8Array[],
): number {
  const odds = logOdds(firstRows(digits.training, numTraining));
  const means = odds.map((bias) => 1 / (1 + Math.exp(-bias)));
  return -rows.reduce((sum, row) => sum + crossEntropy(row, means), 0) / rows.length;
}
