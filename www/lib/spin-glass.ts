import { readNpy } from 'unnorm';
import bitsUrl from '../data/spin-glass-10x10.bits?url&no-inline';
import couplingsFile from '../data/spin-glass-10x10.couplings.npy?url&no-inline';
import sizes from '../data/spin-glass-10x10.json';
import momentsFile from '../data/spin-glass-10x10.moments.npy?url&no-inline';
import { bytesPerRow, type PackedRows } from './packed-rows.js';
import { fetchFile } from './site-files.js';

export const LATTICE = { numRows: 10, numCols: 10 };

/** Where the samples can be fetched from, for the code that the lab shows. */
export const glassUrl = new URL(bitsUrl, import.meta.url).href;

/** The same of the couplings. */
export const couplingsUrl = new URL(couplingsFile, import.meta.url).href;

/**
 * The least value of the objective over all 20,000 rows. The problem is convex, so there is one: with every coupling
 * free it was found by SciPy's L-BFGS-B, with those of the lattice alone by minFunc, both in float64.
 */
export const KNOWN_OPTIMUM = { dense: 46.4666791958, lattice: 46.9943193156 };

/** The samples of the 10×10 spin glass. */
export async function loadGlassRows(): Promise<PackedRows> {
  const bits = await fetchBytes(bitsUrl);
  if (bits.length !== sizes.rows * bytesPerRow(sizes.dim))
    throw new Error('The spin-glass data are not complete.');
  return { dim: sizes.dim, numRows: sizes.rows, bits };
}

/** The couplings they were drawn from, [dim, dim], symmetric, biases on the diagonal: a hundredth of the bytes. */
export async function loadTrueCouplings(): Promise<Float64Array> {
  return readNpy(await fetchBytes(couplingsFile)).values;
}

/** E[x_i x_j] of the model that they were drawn from, [dim, dim]. */
export async function loadTrueMoments(): Promise<Float64Array> {
  return readNpy(await fetchBytes(momentsFile)).values;
}

async function fetchBytes(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetchFile(url);
  if (!response.ok)
    throw new Error(`The spin-glass data could not be loaded (status ${response.status}).`);
  return new Uint8Array(await response.arrayBuffer());
}
