import bitsUrl from '../data/fingerprints-80.bits?url&no-inline';
import { fetchFile } from './site-files.js';

/** Side of a fingerprint in pixels, and how many there are. */
export const FINGERPRINT_SIDE = 64;
const NUM_FINGERPRINTS = 80;

/** Where they can be fetched from, for the code that the lab shows. */
export const fingerprintsUrl = new URL(bitsUrl, import.meta.url).href;

/** Synthetic fingerprints, packed, one after another; 1 is a ridge. */
export async function loadFingerprints(): Promise<Uint8Array> {
  const response = await fetchFile(bitsUrl);
  if (!response.ok)
    throw new Error(`The fingerprints could not be loaded (status ${response.status}).`);
  const bits = new Uint8Array(await response.arrayBuffer());
  if (bits.length !== (NUM_FINGERPRINTS * FINGERPRINT_SIDE ** 2) / 8)
    throw new Error('The data of the fingerprints are not complete.');
  return bits;
}
