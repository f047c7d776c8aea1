import type { PhotographId } from './photographs.js';

/** Sides of a patch in pixels. */
export const SIDES = ['8', '10', '12', '16'] as const;
export type PatchSide = (typeof SIDES)[number];

/** All that patches depend on, but for the pixels of one's own pictures. */
export interface PatchChoice {
  source: 'photographs' | 'own';
  /** Which photographs; not with one's own pictures. */
  photographs: readonly PhotographId[];
  /** The fingerprint of one's own pictures. */
  own: string;
  /** Pixels on a side of a patch. */
  side: PatchSide;
  /** Principal components that are kept of a patch. */
  components: number;
  /** Patches to learn from. */
  patches: number;
  /** Patches that are held out, from the lowest quarter of every picture. */
  numTest: number;
  /** Of their places. */
  seed: number;
}

/** What tells patches from others. */
export function keyOfPatches(choice: PatchChoice): string {
  const { source, photographs, own, side, components, patches, numTest, seed } = choice;
  const chosen = source === 'own' ? own : photographs.join('.');
  return JSON.stringify({ chosen, side, components, patches, numTest, seed });
}
