/** Small data sets and independent formulas for the tests. */
import { uniforms } from './uniforms.mjs';

export { uniforms };

/** Rows of 0 and 1 in which neighbours tend to agree, as a Uint8Array [numRows, dim]. */
export function chainRows({ numRows, dim, seed = 1 }) {
  const uniform = uniforms(seed);
  const values = new Uint8Array(numRows * dim);
  for (let row = 0; row < numRows; row++) {
    for (let site = 0; site < dim; site++) {
      const u = uniform.next().value;
      const at = row * dim + site;
      values[at] = site === 0 ? (u < 0.4 ? 1 : 0) : u < 0.7 ? values[at - 1] : 1 - values[at - 1];
    }
  }
  return values;
}

/** The same as nested arrays. */
export function nested(values, dim) {
  return Array.from({ length: values.length / dim }, (_, row) =>
    Array.from(values.subarray(row * dim, (row + 1) * dim)),
  );
}

/** The same packed: each row padded to whole bytes, least significant bit first. */
export function packed(values, dim) {
  const numRows = values.length / dim;
  const rowBytes = Math.ceil(dim / 8);
  const bits = new Uint8Array(numRows * rowBytes);
  values.forEach((value, at) => {
    const [row, site] = [Math.floor(at / dim), at % dim];
    bits[row * rowBytes + (site >> 3)] |= value << (site & 7);
  });
  return { dim, numRows, bits };
}

/** The same as a CSV file without a header. */
export function csv(values, dim) {
  const lines = nested(values, dim).map((row) => row.join(','));
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** The same as an NPY file of bytes, version 1.0; `|i1` for bytes with a sign. */
export function npy(values, dim, descr = '|u1') {
  const shape = `(${values.length / dim}, ${dim})`;
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const bytes = new Uint8Array(10 + padded.length + values.length);
  bytes.set([
    0x93,
    ...new TextEncoder().encode('NUMPY'),
    1,
    0,
    padded.length & 255,
    padded.length >> 8,
  ]);
  bytes.set(new TextEncoder().encode(padded), 10);
  bytes.set(values, 10 + padded.length);
  return bytes;
}

/** The objective of minimum probability flow with single bit flips, straight from its definition. */
export function probabilityFlow(couplings, values, dim) {
  const numRows = values.length / dim;
  let sum = 0;
  for (let row = 0; row < numRows; row++) {
    const x = values.subarray(row * dim, (row + 1) * dim);
    for (let flipped = 0; flipped < dim; flipped++) {
      const y = x.slice();
      y[flipped] = 1 - y[flipped];
      sum += Math.exp((energy(couplings, x) - energy(couplings, y)) / 2);
    }
  }
  return sum / numRows;
}

/** log Z, E[x_i x_j], the mean energy and the entropy, by enumeration. */
export function enumerate(couplings, dim) {
  const states = Array.from({ length: 2 ** dim }, (_, state) =>
    Array.from({ length: dim }, (_, site) => (state >> site) & 1),
  );
  const energies = states.map((x) => energy(couplings, x));
  const z = energies.reduce((sum, e) => sum + Math.exp(-e), 0);
  const moments = new Float64Array(dim * dim);
  let meanEnergy = 0;
  states.forEach((x, s) => {
    const p = Math.exp(-energies[s]) / z;
    meanEnergy += p * energies[s];
    for (let i = 0; i < dim; i++)
      for (let j = 0; j < dim; j++) moments[i * dim + j] += p * x[i] * x[j];
  });
  return { logZ: Math.log(z), moments, meanEnergy, entropy: Math.log(z) + meanEnergy };
}

/** A symmetric matrix of numbers between −scale and scale. */
export function randomCouplings(dim, scale, seed = 1) {
  const uniform = uniforms(seed);
  const couplings = new Float64Array(dim * dim);
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j <= i; j++) {
      const value = scale * (2 * uniform.next().value - 1);
      couplings[i * dim + j] = value;
      couplings[j * dim + i] = value;
    }
  }
  return couplings;
}

function energy(couplings, x) {
  const dim = x.length;
  let sum = 0;
  for (let i = 0; i < dim; i++)
    for (let j = 0; j < dim; j++) sum += x[i] * couplings[i * dim + j] * x[j];
  return sum;
}
