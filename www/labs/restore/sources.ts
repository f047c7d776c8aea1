import type { Engine } from 'unnorm';
import { type Digits, loadDigits, NUM_PIXELS, SIDE } from '../../lib/digits.js';
import { FINGERPRINT_SIDE, loadFingerprints } from '../../lib/fingerprints.js';
import { letterPicture } from '../../lib/letters.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import { priorSpec } from './posterior.js';
import type { Settings } from './settings.js';

/** A picture as it is in truth. */
export interface Picture {
  side: number;
  bits: Uint8Array;
  name: string;
}

/** What pictures come from, as far as it is there. */
export interface Sources {
  digits?: Digits;
  fingerprints?: Uint8Array;
  /** Draws of the prior, by side and seed. */
  draws?: Record<string, Uint8Array>;
}

/** Pixels along a side. */
export function sideOf({ picture }: Settings): number {
  if (picture === 'digit') return SIDE;
  return picture === 'small' ? 16 : 64;
}

/** Fetches or draws what a picture needs, if it is not there yet. */
export async function loadFor(
  settings: Settings,
  known: Sources,
  engine: () => Promise<Engine>,
): Promise<Sources> {
  const { task, picture, seed } = settings;
  if (task === 'digit' || picture === 'digit')
    return known.digits ? {} : { digits: await loadDigits() };
  if (picture === 'fingerprint')
    return known.fingerprints ? {} : { fingerprints: await loadFingerprints() };
  if (picture === 'letter') return {};
  const side = sideOf(settings);
  const key = keyOf(side, seed);
  if (known.draws?.[key]) return {};
  const { draws } = await (await engine()).sample(priorSpec(side, seed));
  return { draws: { ...known.draws, [key]: draws.bits } };
}

/** The picture to restore; undefined while it is on its way. */
export function truePictureOf(settings: Settings, sources: Sources): Picture | undefined {
  const { picture, letter, number, seed } = settings;
  const side = sideOf(settings);
  switch (picture) {
    case 'letter':
      return { side, bits: letterPicture(letter, side), name: `the letter ${letter}` };
    case 'fingerprint': {
      const width = FINGERPRINT_SIDE ** 2 / 8;
      const bits = sources.fingerprints?.slice((number - 1) * width, number * width);
      return bits && { side, bits, name: `fingerprint ${number}` };
    }
    case 'digit':
      return digitOf(settings, sources);
    default: {
      const bits = sources.draws?.[keyOf(side, seed)];
      return bits && { side, bits, name: 'a draw of the prior' };
    }
  }
}

/** A digit that the machine has not learned from. */
export function digitOf({ digit, number }: Settings, { digits }: Sources): Picture | undefined {
  if (!digits) return undefined;
  const { heldOut, heldOutLabels } = digits;
  const rows = [...heldOutLabels.keys()].filter((row) => heldOutLabels[row] === Number(digit));
  const row = rows[number - 1] ?? 0;
  const width = bytesPerRow(NUM_PIXELS);
  const bits = heldOut.bits.slice(row * width, (row + 1) * width);
  return { side: SIDE, bits, name: `a ${digit}, number ${number} of those held out` };
}

function keyOf(side: number, seed: number): string {
  return `${side}-${seed}`;
}
