import { normals } from './random-models.js';

/**
 * Tables of 40 rows and 30 columns, made up, whose structure is known. What is not noise has entries of variance 1, but for chance;
 * `noise` is the variance of the rest. Plain JavaScript: the tests run it in Node, and the lab Structure search shows it as it is.
 */

/**
 * A table from what is not noise at every row and column, the entries row after row.
 * @param {(row: number, column: number) => number} signal
 * @param {number} noise
 * @param {() => number} normal
 */
export function noisyTable(signal, noise, normal) {
  const [numRows, dim] = [40, 30];
  const states = Float64Array.from(
    { length: numRows * dim },
    (_, at) => signal(Math.floor(at / dim), at % dim) + Math.sqrt(noise) * normal(),
  );
  return { states, dim };
}

/**
 * Rows of numbers with noise of this variance: each column is standardized first, or the table as a whole. A column without
 * variance stays so.
 * @param {number[][]} rows
 * @param {'whole' | 'columns'} standardize
 * @param {number} noise
 * @param {number} seed
 */
export function noisyRows(rows, standardize, noise, seed) {
  const normal = normals(seed);
  const moments = (/** @type {number[]} */ values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return { mean, deviation: Math.sqrt(square) || 1 };
  };
  const dim = rows[0]?.length ?? 0;
  const whole = moments(rows.flat());
  const columns = Array.from({ length: dim }, (_, column) =>
    standardize === 'whole' ? whole : moments(rows.map((row) => row[column] ?? 0)),
  );
  const states = Float64Array.from(
    rows.flatMap((row) => row.map((x, at) => (x - columns[at].mean) / columns[at].deviation)),
    (value) => value + Math.sqrt(noise) * normal(),
  );
  return { states, dim };
}

/**
 * Five clusters of rows: MG + G.
 * @param {number} noise
 * @param {number} seed
 */
export function clusteredRows(noise, seed) {
  const normal = normals(seed);
  const centres = Array.from({ length: 5 * 30 }, normal);
  return noisyTable((row, column) => centres[((row * 7 + 3) % 5) * 30 + column], noise, normal);
}

/**
 * Four clusters of rows, four of columns, and a number for each pair of these: M(GMᵀ + G) + G without the inner noise.
 * @param {number} noise
 * @param {number} seed
 */
export function coClustered(noise, seed) {
  const normal = normals(seed);
  const blocks = Array.from({ length: 16 }, normal);
  return noisyTable(
    (row, column) => blocks[((row * 7 + (row % 3)) % 4) * 4 + ((column * 5 + (column % 3)) % 4)],
    noise,
    normal,
  );
}

/**
 * Two factors: GG + G.
 * @param {number} noise
 * @param {number} seed
 */
export function lowRank(noise, seed) {
  const normal = normals(seed);
  const scores = Array.from({ length: 40 * 2 }, normal);
  const loadings = Array.from({ length: 2 * 30 }, normal);
  const entry = (row, column) =>
    scores[2 * row] * loadings[column] + scores[2 * row + 1] * loadings[30 + column];
  return noisyTable((row, column) => entry(row, column) / Math.SQRT2, noise, normal);
}

/**
 * A random walk down each column: CG + G.
 * @param {number} noise
 * @param {number} seed
 */
export function randomWalks(noise, seed) {
  const normal = normals(seed);
  const places = new Float64Array(40 * 30);
  for (let at = 0; at < places.length; at++) {
    places[at] = (at < 30 ? 0 : places[at - 30]) + normal();
  }
  const meanSquare = places.reduce((sum, place) => sum + place * place, 0) / places.length;
  return noisyTable(
    (row, column) => places[30 * row + column] / Math.sqrt(meanSquare),
    noise,
    normal,
  );
}

/**
 * Nothing but noise: G.
 * @param {number} noise
 * @param {number} seed
 */
export function noiseAlone(noise, seed) {
  return noisyTable(() => 0, noise, normals(seed));
}
