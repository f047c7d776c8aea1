// The spin glasses of the experiments: data, true couplings, moments of the
// truth: exact on the lattice, from 400,000 further samples of the dense one.

import { readFile } from 'node:fs/promises';

const folders = {
  'spin-glass-10x10': new URL('../../../www/data/', import.meta.url),
  'spin-glass-40-dense': new URL('../../data/', import.meta.url),
};

/**
 * @param unnorm the package
 * @param name 'spin-glass-10x10' or 'spin-glass-40-dense'
 * @returns data rows, true J and E[x_i x_j] under it (both row-major [dim, dim]), exact log Z where
 *   it is known. */
export async function readGlass({ readNpy }, name) {
  const read = (extension) => readFile(new URL(`${name}.${extension}`, folders[name]));
  const { dim, rows, logZ } = JSON.parse(await read('json'));
  const matrix = async (what) => readNpy(await read(`${what}.npy`)).values;
  return {
    dim,
    data: { kind: 'bits', dim, numRows: rows, bits: await read('bits') },
    couplings: await matrix('couplings'),
    moments: await matrix('moments'),
    logZ,
  };
}

/** Mean of (a − b)² over the entries (i, j) of a dim × dim matrix that `keep` accepts. */
export function meanSquareError(a, b, dim, keep = () => true) {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j < dim; j++) {
      if (!keep(i, j)) continue;
      sum += (a[i * dim + j] - b[i * dim + j]) ** 2;
      count++;
    }
  }
  return sum / count;
}
