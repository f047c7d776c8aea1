// The 10×10 spin glass of the experiments: data, true couplings, exact moments.

import { readFile } from 'node:fs/promises';

const folder = new URL('../../www/data/', import.meta.url);
const read = (name) => readFile(new URL(name, folder));

/**
 * @param unnorm the package
 * @returns data rows, true J and exact E[x_i x_j] (both row-major [100, 100]), exact log Z. */
export async function readGlass({ readNpy }) {
  const { dim, rows, logZ } = JSON.parse(await read('spin-glass-10x10.json'));
  const matrix = async (name) => readNpy(await read(name)).values;
  return {
    dim,
    data: { kind: 'bits', dim, numRows: rows, bits: await read('spin-glass-10x10.bits') },
    couplings: await matrix('spin-glass-10x10.couplings.npy'),
    moments: await matrix('spin-glass-10x10.moments.npy'),
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
