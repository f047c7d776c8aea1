import type { Engine, ModelSpec } from 'unnorm';
import { densityOf, gridStates } from '../../lib/density-grid.js';
import { histogramsOf } from '../../lib/histogram.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import type { Density } from '../../lib/plane-density.js';
import { type Part, reachesOf } from '../../pictures/plane-axes.js';
import type { Rows } from './data.js';

/** What can be shown of a density beside the data. */
export type Shown =
  | { kind: 'plane'; density: Pick<Density, 'relative' | 'size'> }
  | { kind: 'line'; x: number[]; density: number[] }
  /** Of every state, in the order of the binary numbers. */
  | { kind: 'states'; probabilities: Float64Array };

const GRID_SIZE = 120;
const LINE_SIZE = 240;
const NUM_BINS = 40;
/** States that a picture has room for. */
const MAX_STATES = 40;

/** The whole plane as its picture's square has it. */
const UNIT = { centre: [0, 0], reach: 1 } as const;

/** A part of the plane, or for one column of the line, that holds the rows but for a few far out. */
export function windowOf(rows: Rows): Part {
  if (rows.isBinary) return UNIT;
  const { states, dim, numRows } = rows;
  const ends = Array.from({ length: Math.min(dim, 2) }, (_, column) => {
    const sorted = Float64Array.from(
      { length: numRows },
      (_, row) => states[row * dim + column] ?? 0,
    );
    sorted.sort();
    const at = (share: number) => sorted[Math.round(share * (numRows - 1))] ?? 0;
    return { middle: (at(0.005) + at(0.995)) / 2, half: (at(0.995) - at(0.005)) / 2 };
  });
  const reaches = ends.map(({ half }) => 1.25 * half || 1);
  const [across = 1, up = across] = reaches;
  const centre = [ends[0]?.middle ?? 0, ends[1]?.middle ?? 0] as const;
  // In units that are alike a circle stays one.
  const isAlike = Math.max(across, up) < 3 * Math.min(across, up);
  return { centre, reach: isAlike ? Math.max(across, up) : [across, up] };
}

/** The density of a model, where it can be shown: in up to two dimensions, or of bits. Undefined where it has no highest value. */
export async function shownDensity(
  engine: Engine,
  model: ModelSpec,
  rows: Rows,
  window: Part,
): Promise<Shown | undefined> {
  if (rows.isBinary) {
    const { energies } = await engine.energies({ model, states: allStates(rows.dim) });
    return { kind: 'states', probabilities: probabilities(energies) };
  }
  if (rows.dim === 1) {
    const x = lineOf(window);
    const { energies } = await engine.energies({ model, states: Float64Array.from(x) });
    const width = (2 * reachesOf(window)[0]) / LINE_SIZE;
    return { kind: 'line', x, density: [...probabilities(energies)].map((mass) => mass / width) };
  }
  if (rows.dim > 2) return undefined;
  const reaches = reachesOf(window);
  const states = gridStates(UNIT, GRID_SIZE).map(
    (share, at) => (window.centre[at % 2] ?? 0) + (reaches[at % 2] ?? 1) * share,
  );
  const { energies } = await engine.energies({ model, states });
  const density = densityOf(energies, UNIT, GRID_SIZE);
  return density && { kind: 'plane', density };
}

/** The middles of equal parts of a line. */
function lineOf(window: Part): number[] {
  const { centre } = window;
  const [reach] = reachesOf(window);
  return Array.from(
    { length: LINE_SIZE },
    (_, n) => centre[0] + reach * ((2 * n + 1) / LINE_SIZE - 1),
  );
}

/** Energies as probabilities that add up to 1. */
function probabilities(energies: Float64Array): Float64Array {
  const least = energies.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const weights = energies.map((energy) => Math.exp(least - energy) || 0);
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** Rows of one column as a histogram over the window: its steps begin at `x`. */
export function histogramOf(rows: Rows, window: Part) {
  if (rows.isBinary || rows.dim !== 1) return undefined;
  const { centre } = window;
  const [reach] = reachesOf(window);
  const inside = rows.states.filter((value) => Math.abs(value - centre[0]) < reach);
  const { edges, densities } = histogramsOf([inside], NUM_BINS);
  const share = inside.length / rows.numRows;
  return { edges, density: (densities[0] ?? new Float64Array()).map((height) => height * share) };
}

/** All states of so many bits as numbers, in the order of the binary numbers; the first bit counts 1. */
function allStates(dim: number): Float64Array {
  return Float64Array.from(
    { length: dim * 2 ** dim },
    (_, at) => (Math.floor(at / dim) >> (at % dim)) & 1,
  );
}

/** How often each state is among the rows, by its number. */
export function frequencies(rows: Rows): Float64Array {
  const shares = new Float64Array(rows.isBinary ? 2 ** rows.dim : 0);
  if (!rows.isBinary) return shares;
  const width = bytesPerRow(rows.dim);
  for (let row = 0; row < rows.numRows; row++) {
    let state = 0;
    for (let byte = 0; byte < width; byte++)
      state |= (rows.bits[row * width + byte] ?? 0) << (8 * byte);
    shares[state] = (shares[state] ?? 0) + 1 / rows.numRows;
  }
  return shares;
}

/** The numbers of the states that are most frequent, as many as a picture has room for, in their own order. */
export function statesShown(shares: Float64Array): number[] {
  const all = Array.from(shares, (_, state) => state);
  if (all.length <= MAX_STATES) return all;
  all.sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0) || a - b);
  return all.slice(0, MAX_STATES).sort((a, b) => a - b);
}
