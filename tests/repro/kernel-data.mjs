// Draws of Gaussian processes with known kernels, for kernel-table.mjs.

import { uniforms } from './uniforms.mjs';

const square = (x) => x * x;

/** Base kernels of one input, of variance 1 but for LIN; inputs are from 0 to 1. */
export const se = (d, length) => (x, y) => Math.exp(-square((x[d] - y[d]) / length) / 2);
export const rq = (d, length, alpha) => (x, y) =>
  (1 + square((x[d] - y[d]) / length) / 2 / alpha) ** -alpha;
export const per = (d, length, period) => (x, y) =>
  Math.exp(-2 * square(Math.sin((Math.PI * (x[d] - y[d])) / period) / length));
export const lin = (d, location) => (x, y) => 4 * (x[d] - location) * (y[d] - location);
export const sum =
  (...kernels) =>
  (x, y) =>
    kernels.reduce((total, kernel) => total + kernel(x, y), 0);
export const product =
  (...kernels) =>
  (x, y) =>
    kernels.reduce((total, kernel) => total * kernel(x, y), 1);

/** Two normal numbers at a time, by Box and Muller. */
function normals(seed) {
  const next = uniforms(seed);
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** The values of a function drawn at rows: L z, K = LLᵀ. */
function drawFunction(kernel, rows, normal) {
  const factor = [];
  for (const [i, x] of rows.entries()) {
    const line = [];
    for (let j = 0; j <= i; j++) {
      const other = j === i ? line : factor[j];
      let rest = kernel(x, rows[j]) + (j === i ? 1e-8 : 0);
      for (let k = 0; k < j; k++) rest -= line[k] * other[k];
      line.push(j === i ? Math.sqrt(Math.max(rest, 1e-12)) : rest / other[j]);
    }
    factor.push(line);
  }
  const z = rows.map(normal);
  return factor.map((line) => line.reduce((total, entry, k) => total + entry * z[k], 0));
}

/** Inputs uniform in a cube, a function of variance 1 over them, and noise of variance 1 / snr, to nine decimals. */
export function drawSeries({ kernel, numInputs, numValues, snr, seed }) {
  const uniform = uniforms(seed);
  for (let skip = 0; skip < 20; skip++) uniform();
  const rows = Array.from({ length: numValues }, () => Array.from({ length: numInputs }, uniform));
  const normal = normals(seed + 1000);
  for (let skip = 0; skip < 20; skip++) normal();
  const f = drawFunction(kernel, rows, normal);
  const mean = f.reduce((total, value) => total + value, 0) / numValues;
  const variance = f.reduce((total, value) => total + square(value - mean), 0) / numValues;
  const noise = 1 / Math.sqrt(snr);
  const values = f.map((value) => (value - mean) / Math.sqrt(variance) + noise * normal());
  const round = (value) => Number(value.toFixed(9));
  return { inputs: rows.flat().map(round), values: values.map(round) };
}
