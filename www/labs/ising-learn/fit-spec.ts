import type { FitSpec, Pattern } from 'unnorm';
import { firstRows, type PackedRows } from '../../lib/packed-rows.js';
import type { Settings } from './settings.js';

/** The data a fit learns from, with what is known about them. */
export interface LearnData {
  rows: PackedRows;
  /** The couplings the data were drawn from, where they are known. */
  truth: Float64Array | undefined;
  /** The grid the units may be laid out on: the spin glass's, or the one chosen. */
  lattice: { numRows: number; numCols: number } | undefined;
}

/** A fit of an Ising model. */
type IsingFitSpec = FitSpec & { model: { kind: 'ising' } };

/** All of the job but the data, as the settings ask for it. */
export function fitSpecWithoutData(
  settings: Settings,
  data: LearnData,
): Omit<IsingFitSpec, 'data'> {
  const { dim } = data.rows;
  const pattern: Pattern =
    settings.pattern === 'lattice' && data.lattice
      ? { kind: 'lattice', ...data.lattice, periodic: false }
      : { kind: 'dense' };
  return {
    model: { kind: 'ising', dim, pattern },
    objective: objectiveOf(settings),
    optimizer: {
      kind: 'lbfgs',
      maxIterations: settings.maxIterations,
      tolerance: settings.tolerance,
    },
    init: settings.noise > 0 ? { kind: 'normal', scale: settings.noise } : { kind: 'model' },
    seed: settings.seed,
  };
}

/** Of flow whose connectivity is to suit the data, the engine chooses it. */
function objectiveOf({ objective, connectivity }: Settings): NonNullable<FitSpec['objective']> {
  if (objective !== 'mpf') return { kind: objective };
  return connectivity === 'suited'
    ? { kind: 'mpf' }
    : { kind: 'mpf', connectivity: { kind: connectivity } };
}

/** What the objective is called, and a word for its values. */
export const OBJECTIVES = {
  mpf: {
    name: 'Objective K',
    symbol: 'K',
    unit: 'K, dimensionless',
    note: 'How fast probability would flow from the data to states connected with them, averaged over rows; dimensionless.',
  },
  pseudolikelihood: {
    name: 'Objective',
    symbol: 'objective',
    unit: 'nats a row',
    note: 'Negative log of the probabilities of each unit given all others, in nats a row.',
  },
  maximumLikelihood: {
    name: 'Objective',
    symbol: 'objective',
    unit: 'nats a row',
    note: 'Negative log likelihood, in nats a row; exact.',
  },
} as const;

export function fitSpec(settings: Settings, data: LearnData): IsingFitSpec {
  return { ...fitSpecWithoutData(settings, data), data: { kind: 'bits', ...data.rows } };
}

/** The rows the settings ask for. */
export function glassRows(all: PackedRows, settings: Settings): PackedRows {
  return firstRows(all, Math.min(settings.rows, all.numRows));
}

/** How many couplings and biases the pattern leaves free. */
export function numParams(settings: Settings, { rows: { dim }, lattice }: LearnData): number {
  if (settings.pattern === 'dense' || !lattice) return (dim * (dim + 1)) / 2;
  const { numRows, numCols } = lattice;
  return dim + numRows * (numCols - 1) + numCols * (numRows - 1);
}

/** The numbers of rows a lattice of so many units can have. */
export function latticeRowChoices(dim: number): number[] {
  return Array.from({ length: dim }, (_, n) => n + 1).filter((numRows) => dim % numRows === 0);
}

/** The grid with so many rows where that is possible, or else the one nearest to a square. */
export function latticeOf(dim: number, askedRows: number): { numRows: number; numCols: number } {
  const choices = latticeRowChoices(dim);
  const squarest = choices.filter((numRows) => numRows * numRows <= dim).at(-1) ?? 1;
  const numRows = choices.includes(askedRows) ? askedRows : squarest;
  return { numRows, numCols: dim / numRows };
}
