import { framed, reduced, scaled } from '../../lib/bit-pictures.js';
import { type Digits, loadDigits, NUM_PIXELS, SIDE } from '../../lib/digits.js';
import { FINGERPRINT_SIDE, loadFingerprints } from '../../lib/fingerprints.js';
import { t } from '../../lib/language.js';
import { letterPicture, lettersOf } from '../../lib/letters.js';
import { bytesPerRow, type PackedRows } from '../../lib/packed-rows.js';
import { randomRows } from '../../lib/random-bits.js';
import { resized } from './own-pictures.js';
import { MAX_FINGERPRINTS, type Settings } from './settings.js';

/** The streams of random bits, of the lab's seed. */
export const STREAMS = {
  pictures: 1,
  starts: 2,
  trials: 1000,
  cues: 2 ** 20,
  copies: 2 ** 24,
} as const;

/** What is to be stored. */
export interface Pictures {
  side: number;
  /** One row a picture. */
  rows: PackedRows;
  names: string[];
}

/** The data behind the sources that have some. */
export interface Files {
  digits?: Digits;
  fingerprints?: Uint8Array;
}

/** Fetches what a source needs, if it is not there yet. */
export async function loadFor(source: Settings['source'], files: Files): Promise<Files> {
  if (source === 'digits' && !files.digits) return { ...files, digits: await loadDigits() };
  if (source === 'fingerprints' && !files.fingerprints)
    return { ...files, fingerprints: await loadFingerprints() };
  return files;
}

/** The pictures of these settings; undefined while their data are on the way. */
export function picturesOf(settings: Settings, files: Files): Pictures | undefined {
  const side = Number(settings.side);
  const sourced = sourcePictures(settings, side, files);
  if (!sourced) return undefined;
  const own = resized(settings.own, side).pictures.map((bits, n) => ({
    bits,
    name: t('my picture {number}', { number: n + 1 }),
  }));
  const all = [...sourced, ...own];
  const width = bytesPerRow(side * side);
  const bits = new Uint8Array(all.length * width);
  all.forEach((picture, n) => {
    bits.set(picture.bits, n * width);
  });
  return {
    side,
    rows: { dim: side * side, numRows: all.length, bits },
    names: all.map(({ name }) => name),
  };
}

/** The bits of one picture, not a copy. */
export function pictureAt({ rows }: Pictures, n: number): Uint8Array {
  const width = bytesPerRow(rows.dim);
  return rows.bits.subarray(n * width, (n + 1) * width);
}

function sourcePictures(
  settings: Settings,
  side: number,
  files: Files,
): { bits: Uint8Array; name: string }[] | undefined {
  const { source, num, letters, seed } = settings;
  switch (source) {
    case 'letters':
      return lettersOf(letters).map((letter) => ({
        bits: letterPicture(letter, side),
        name: letter,
      }));
    case 'digits': {
      const { heldOut, heldOutLabels } = files.digits ?? {};
      if (!heldOut || !heldOutLabels) return undefined;
      const width = bytesPerRow(NUM_PIXELS);
      return Array.from({ length: num }, (_, n) => ({
        bits: digitAt(heldOut.bits.subarray(n * width, (n + 1) * width), side),
        name: `a ${heldOutLabels[n]}`,
      }));
    }
    case 'fingerprints': {
      const { fingerprints } = files;
      if (!fingerprints) return undefined;
      const width = bytesPerRow(FINGERPRINT_SIDE ** 2);
      return Array.from({ length: Math.min(num, MAX_FINGERPRINTS) }, (_, n) => ({
        bits: framed(fingerprints.subarray(n * width, (n + 1) * width), FINGERPRINT_SIDE, side),
        name: t('fingerprint {number}', { number: n + 1 }),
      }));
    }
    case 'random': {
      const width = bytesPerRow(side * side);
      const all = randomRows(num, side * side, seed, STREAMS.pictures);
      return Array.from({ length: num }, (_, n) => ({
        bits: all.subarray(n * width, (n + 1) * width),
        name: t('random picture {number}', { number: n + 1 }),
      }));
    }
    case 'own':
      return [];
  }
}

/** A digit of 28×28 pixels at another size: reduced by half or to a quarter, framed, or doubled and framed. */
function digitAt(bits: Uint8Array, side: number): Uint8Array {
  if (side < 32) return reduced(bits, SIDE, 32 / side, side);
  if (side === 32) return framed(bits, SIDE, side);
  return framed(scaled(bits, SIDE, 2 * SIDE), 2 * SIDE, side);
}
