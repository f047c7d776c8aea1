/** Small tables made of simple matrices, as the grammar of structures says. Plain JavaScript: the tests run it in Node. */

import { uniforms } from '../../../lib/random-bits.js';
import { normals } from '../../../lib/random-models.js';

export const NUM_ROWS = 24;
export const NUM_COLUMNS = 16;
/** Clusters, attributes, factors. */
const NUM_PARTS = 3;

/** @typedef {{ values: Float64Array, numRows: number, numColumns: number }} Matrix */

export const STRUCTURES = /** @type {const} */ ([
  { text: 'G', about: 'nothing but noise' },
  { text: 'MG + G', about: 'clusters of rows' },
  { text: 'GMᵀ + G', about: 'clusters of columns' },
  { text: 'M(GMᵀ + G) + G', about: 'clusters of both' },
  { text: 'BG + G', about: 'attributes of rows' },
  { text: 'GG + G', about: 'factors' },
  { text: 'CG + G', about: 'random walks down the columns' },
]);

/** @typedef {(typeof STRUCTURES)[number]['text']} Structure */

/**
 * @param {number} numRows
 * @param {number} numColumns
 * @param {(row: number, column: number) => number} entry
 * @returns {Matrix}
 */
function matrixOf(numRows, numColumns, entry) {
  const values = Float64Array.from({ length: numRows * numColumns }, (_, at) =>
    entry(Math.floor(at / numColumns), at % numColumns),
  );
  return { values, numRows, numColumns };
}

/** @param {Matrix} matrix */
function transposed({ values, numRows, numColumns }) {
  return matrixOf(numColumns, numRows, (row, column) => Number(values[column * numColumns + row]));
}

/**
 * @param {Matrix} a
 * @param {Matrix} b
 */
export function times(a, b) {
  return matrixOf(a.numRows, b.numColumns, (row, column) => {
    let sum = 0;
    for (let k = 0; k < a.numColumns; k++) {
      sum += Number(a.values[row * a.numColumns + k]) * Number(b.values[k * b.numColumns + column]);
    }
    return sum;
  });
}

/**
 * Whether each row has each part: one of them, or some.
 * @param {number} numRows
 * @param {boolean} isOne
 * @param {() => number} uniform
 */
function partsOf(numRows, isOne, uniform) {
  const rows = Array.from({ length: numRows }, (_, row) => {
    // In order, and each at least once: a table is then as orderly as it can be.
    if (isOne) {
      const cluster = Math.floor((row * NUM_PARTS) / numRows);
      return Array.from({ length: NUM_PARTS }, (_, k) => (k === cluster ? 1 : 0));
    }
    return Array.from({ length: NUM_PARTS }, () => (uniform() < 0.5 ? 1 : 0));
  });
  rows.sort((a, b) => Number(b.join('')) - Number(a.join('')));
  return matrixOf(numRows, NUM_PARTS, (row, k) => rows[row]?.[k] ?? 0);
}

/**
 * The factors of a structure, from left to right, all but the noise; none for G.
 * @param {Structure} text
 * @param {number} seed
 * @returns {{ letter: string, matrix: Matrix }[]}
 */
export function factorsOf(text, seed) {
  const normal = normals(seed);
  const uniform = uniforms(seed, 1);
  const gaussian = (/** @type {number} */ rows, /** @type {number} */ columns) => ({
    letter: 'G',
    matrix: matrixOf(rows, columns, normal),
  });
  const rowClusters = { letter: 'M', matrix: partsOf(NUM_ROWS, true, uniform) };
  const columnClusters = {
    letter: 'Mᵀ',
    matrix: transposed(partsOf(NUM_COLUMNS, true, uniform)),
  };
  if (text === 'MG + G') return [rowClusters, gaussian(NUM_PARTS, NUM_COLUMNS)];
  if (text === 'GMᵀ + G') return [gaussian(NUM_ROWS, NUM_PARTS), columnClusters];
  if (text === 'M(GMᵀ + G) + G')
    return [rowClusters, gaussian(NUM_PARTS, NUM_PARTS), columnClusters];
  if (text === 'BG + G') {
    const attributes = { letter: 'B', matrix: partsOf(NUM_ROWS, false, uniform) };
    return [attributes, gaussian(NUM_PARTS, NUM_COLUMNS)];
  }
  if (text === 'GG + G') return [gaussian(NUM_ROWS, 2), gaussian(2, NUM_COLUMNS)];
  if (text === 'CG + G') {
    const sums = matrixOf(NUM_ROWS, NUM_ROWS, (row, column) => (column <= row ? 1 : 0));
    return [{ letter: 'C', matrix: sums }, gaussian(NUM_ROWS, NUM_COLUMNS)];
  }
  return [];
}

/**
 * The table: the product of the factors, scaled to a mean square of 1, and noise of a standard deviation. `isShuffled` puts
 * rows and columns, and with them the outer factors, in a random order.
 * @param {Structure} text
 * @param {number} noise
 * @param {number} seed
 * @param {boolean} isShuffled
 */
export function tableOf(text, noise, seed, isShuffled) {
  const factors = factorsOf(text, seed);
  const product =
    factors.length > 0 ? factors.map(({ matrix }) => matrix).reduce(times) : undefined;
  const squares = product ? product.values.reduce((sum, value) => sum + value * value, 0) : 0;
  const scale = product ? Math.sqrt(product.values.length / squares) : 0;
  const normal = normals(seed + 1000);
  const table = matrixOf(NUM_ROWS, NUM_COLUMNS, (row, column) => {
    const signal = product ? scale * Number(product.values[row * NUM_COLUMNS + column]) : 0;
    return signal + (product ? noise : 1) * normal();
  });
  if (!isShuffled) return { table, factors };
  const rows = permutation(NUM_ROWS, uniforms(seed, 2));
  const columns = permutation(NUM_COLUMNS, uniforms(seed, 3));
  const last = factors.length - 1;
  return {
    table: reordered(table, rows, columns),
    factors: factors.map(({ letter, matrix }, n) => ({
      letter,
      matrix: reordered(matrix, n === 0 ? rows : undefined, n === last ? columns : undefined),
    })),
  };
}

/**
 * @param {number} length
 * @param {() => number} uniform
 */
function permutation(length, uniform) {
  const keys = Array.from({ length }, uniform);
  return [...keys.keys()].sort((a, b) => Number(keys[a]) - Number(keys[b]));
}

/**
 * @param {Matrix} matrix
 * @param {readonly number[] | undefined} rows
 * @param {readonly number[] | undefined} columns
 */
function reordered({ values, numRows, numColumns }, rows, columns) {
  return matrixOf(numRows, numColumns, (row, column) =>
    Number(values[(rows?.[row] ?? row) * numColumns + (columns?.[column] ?? column)]),
  );
}
