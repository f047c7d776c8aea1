/**
 * How strongly the pairs of a Potts model are coupled, as contact prediction ranks them.
 */

import { describe, invalidData, isObject } from './checks.js';
import type { Pattern, PottsSpec } from './types.js';

/** A pair of sites and how strongly it is coupled. */
export interface CouplingStrength {
  /** The first site. */
  i: number;
  /** The second site, greater than the first. */
  j: number;
  /** The norm of its couplings, corrected if asked for. */
  strength: number;
}

/** What `couplingStrengths` computes. */
export interface CouplingStrengthsOptions {
  /**
   * Whether to subtract the average product correction, F_i F_j / F: what sites have in common with
   * all others, such as how much they vary. False if absent. Then strengths may be negative.
   */
  averageProductCorrection?: boolean;
}

/**
 * The Frobenius norms of the couplings of all coupled pairs, the strongest first. Couplings are
 * first brought to the zero-sum gauge (Ising gauge), in which rows and columns of each J_ij add up
 * to zero: `J_ij(a, b) − J_ij(·, b) − J_ij(a, ·) + J_ij(·, ·)`, a dot for a mean; there as much as
 * possible is said by the fields, and the norm is the smallest of all gauges (Ekeberg et al.
 * 2013). All values count, also that of a gap. Throws `invalid-data` if the model is none
 * of kind `potts` with couplings.
 */
export function couplingStrengths(
  model: PottsSpec,
  options: CouplingStrengthsOptions = {},
): CouplingStrength[] {
  const { numSites, counts, couplings } = checked(model);
  const strengths: CouplingStrength[] = [];
  let start = 0;
  for (const [i, j] of pairsOf(model.pattern ?? { kind: 'dense' }, numSites)) {
    const [rows, columns] = [counts[i] as number, counts[j] as number];
    const block = couplings.slice(start, start + rows * columns);
    start += rows * columns;
    strengths.push({ i, j, strength: zeroSumNorm(block, rows, columns) });
  }
  if (start !== couplings.length) {
    const words = `has ${couplings.length} entries, and the pairs of the pattern have ${start}`;
    throw invalidData('model.couplings', words);
  }
  if (options.averageProductCorrection === true) subtractAverageProduct(strengths, numSites);
  // Equal ones stay in the order of the pairs.
  return strengths.sort((a, b) => b.strength - a.strength);
}

/** The Frobenius norm of a block whose rows and columns are made to add up to zero. */
function zeroSumNorm(block: ArrayLike<number>, rows: number, columns: number): number {
  const ofRow = new Float64Array(rows);
  const ofColumn = new Float64Array(columns);
  let mean = 0;
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b < columns; b++) {
      const coupling = block[a * columns + b] as number;
      ofRow[a] = (ofRow[a] as number) + coupling / columns;
      ofColumn[b] = (ofColumn[b] as number) + coupling / rows;
      mean += coupling / (rows * columns);
    }
  }
  let square = 0;
  for (let a = 0; a < rows; a++) {
    for (let b = 0; b < columns; b++) {
      const coupling = block[a * columns + b] as number;
      square += (coupling - (ofRow[a] as number) - (ofColumn[b] as number) + mean) ** 2;
    }
  }
  return Math.sqrt(square);
}

/** F_ij − F_i F_j / F, with means over the pairs of a site and over all pairs (Dunn et al. 2008). */
function subtractAverageProduct(strengths: CouplingStrength[], numSites: number): void {
  const sums = new Float64Array(numSites);
  const numPairs = new Float64Array(numSites);
  let total = 0;
  for (const { i, j, strength } of strengths) {
    for (const site of [i, j]) {
      sums[site] = (sums[site] as number) + strength;
      numPairs[site] = (numPairs[site] as number) + 1;
    }
    total += strength / strengths.length;
  }
  const mean = (site: number) => (sums[site] as number) / (numPairs[site] as number);
  for (const pair of strengths) {
    if (total > 0) pair.strength -= (mean(pair.i) * mean(pair.j)) / total;
  }
}

/** To half of the neighbours of a site of a lattice: steps in layers, rows and columns. */
const STEPS = {
  lattice: [
    [0, 0, 1],
    [0, 1, 0],
  ],
  triangular: [
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 1],
  ],
  cubic: [
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ],
} as const;

/** The pairs i < j of a pattern, in lexicographic order. */
function pairsOf(pattern: Pattern, numSites: number): [number, number][] {
  const pairs: [number, number][] = [];
  switch (pattern.kind) {
    case 'dense':
      for (let i = 0; i < numSites; i++) {
        for (let j = i + 1; j < numSites; j++) pairs.push([i, j]);
      }
      return pairs;
    case 'pairs':
      for (const [i, j] of pattern.pairs) pairs.push([i as number, j as number]);
      break;
    default: {
      const { numRows, numCols, periodic } = pattern;
      const numLayers = pattern.kind === 'cubic' ? pattern.numLayers : 1;
      for (let site = 0; site < numSites; site++) {
        const [line, col] = [Math.floor(site / numCols), site % numCols];
        for (const [layers, rows, cols] of STEPS[pattern.kind]) {
          const to = [Math.floor(line / numRows) + layers, (line % numRows) + rows, col + cols];
          const [layer, row, column] = to as [number, number, number];
          if (!periodic && (layer >= numLayers || row >= numRows || column >= numCols)) continue;
          const ofLayer = (layer % numLayers) * numRows + (row % numRows);
          const other = ofLayer * numCols + (column % numCols);
          pairs.push([Math.min(site, other), Math.max(site, other)]);
        }
      }
    }
  }
  return pairs.sort(([i, j], [k, l]) => i - k || j - l);
}

/** The sites, the numbers of their values and the couplings of a spec. */
function checked(model: PottsSpec): {
  numSites: number;
  counts: ArrayLike<number>;
  couplings: Float64Array | number[];
} {
  if (!isObject(model) || ('kind' in model && model['kind'] !== 'potts')) {
    throw invalidData('model', `is ${describe(model)}; give a model of kind potts`);
  }
  const { numSites, numValues, couplings } = model;
  if (!Number.isSafeInteger(numSites) || numSites < 1 || numSites > 4096) {
    throw invalidData('model.numSites', `is ${describe(numSites)}; give a whole number, 1 to 4096`);
  }
  if (couplings === undefined) {
    throw invalidData('model.couplings', 'is missing; give the model of a result of fit');
  }
  const counts = typeof numValues === 'number' ? Array(numSites).fill(numValues) : numValues;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 2;
  if (counts?.length !== numSites || !Array.from(counts).every(isCount)) {
    const words = 'must be a whole number of at least 2, or one for each site';
    throw invalidData('model.numValues', words);
  }
  return { numSites, counts, couplings };
}
