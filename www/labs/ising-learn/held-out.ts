import { bytesPerRow, type PackedRows, rowsOf } from '../../lib/packed-rows.js';

/** One row out of this many is held out. */
const EVERY = 5;
/** With fewer rows held out there is nothing to compare. */
export const MIN_ROWS_TO_COMPARE = 50;

/** Every fifth row is held out, and the others are learned from. */
export function splitRows(rows: PackedRows): { training: PackedRows; heldOut: PackedRows } {
  const isHeldOut = (row: number) => row % EVERY === EVERY - 1;
  return {
    training: rowsWhere(rows, (row) => !isHeldOut(row)),
    heldOut: rowsWhere(rows, isHeldOut),
  };
}

function rowsWhere(rows: PackedRows, keeps: (row: number) => boolean): PackedRows {
  const width = bytesPerRow(rows.dim);
  const kept = rowsOf(rows).filter((_, row) => keeps(row));
  const bits = new Uint8Array(kept.length * width);
  for (const [at, row] of kept.entries()) bits.set(row, at * width);
  return { dim: rows.dim, numRows: kept.length, bits };
}

/** Some of the rows as numbers, `[to − from, dim]`. */
export function statesOf({ dim, bits }: PackedRows, from: number, to: number): Float64Array {
  const width = bytesPerRow(dim);
  const states = new Float64Array((to - from) * dim);
  for (let row = from; row < to; row++) {
    for (let site = 0; site < dim; site++) {
      const byte = bits[row * width + (site >> 3)] as number;
      states[(row - from) * dim + site] = (byte >> (site & 7)) & 1;
    }
  }
  return states;
}

/** For each state the log of its pseudolikelihood: of each bit given all others, from the probabilities that it is on. */
export function logPseudolikelihoods(
  states: Float64Array,
  conditionals: Float64Array,
  dim: number,
): number[] {
  return Array.from({ length: states.length / dim }, (_, row) => {
    let sum = 0;
    for (let at = row * dim; at < (row + 1) * dim; at++) {
      const on = conditionals[at] as number;
      sum += Math.log(states[at] === 1 ? on : 1 - on);
    }
    return sum;
  });
}

/** The log likelihood of each row held out if columns were independent, with their rates among the rows learned from. */
export function independentScores(training: PackedRows, heldOut: PackedRows): number[] {
  const { dim, numRows } = training;
  const counts = new Float64Array(dim);
  const learned = statesOf(training, 0, numRows);
  for (let at = 0; at < learned.length; at++) {
    counts[at % dim] = (counts[at % dim] as number) + (learned[at] as number);
  }
  // Half a row more of either value: no rate is 0 or 1.
  const rates = counts.map((on) => (on + 0.5) / (numRows + 1));
  const states = statesOf(heldOut, 0, heldOut.numRows);
  const conditionals = states.map((_, at) => rates[at % dim] as number);
  return logPseudolikelihoods(states, conditionals, dim);
}

/** The scores that all objectives share, of the rows held out, in nats. */
export interface Scores {
  /** Of each row. With an annealed log Z all are off by the same. */
  logLikelihoods: readonly number[];
  /** The standard error of log Z; undefined where it is exact. */
  error: number | undefined;
  logPseudolikelihoods: readonly number[];
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How far the mean log likelihood of one is below that of another, row by row, with its standard error. */
export function behind(one: Scores, best: Scores): { mean: number; error: number } {
  const gaps = one.logLikelihoods.map((value, row) => (best.logLikelihoods[row] as number) - value);
  const mean = meanOf(gaps);
  const squares = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0);
  const ofRows = Math.sqrt(squares / (gaps.length - 1) / gaps.length);
  return { mean, error: Math.hypot(ofRows, one.error ?? 0, best.error ?? 0) };
}
