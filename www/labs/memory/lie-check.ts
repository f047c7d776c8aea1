import { breather } from '../../frame/breather.js';
import { lieOf } from '../../lib/hopfield.js';
import type { Memory } from './memory.svelte.js';
import { pictureAt } from './pictures.js';

/** How the engine's margins compare with those by this page's own program. */
export interface LieCheck {
  /** Strict local minima among the pictures, by this page. */
  numMinima: number;
  /** The largest difference of two margins, in nats. */
  gap: number;
  passed: boolean;
  /** Of each picture, in nats. */
  energies: Float64Array;
}

/** Computes energies and margins of all pictures by their definitions, in short slices. */
export async function lieCheck(memory: Memory, signal: AbortSignal): Promise<LieCheck> {
  const { pictures, params, result } = memory;
  const { dim, numRows } = pictures.rows;
  const breathe = breather(signal);
  const energies = new Float64Array(numRows);
  let numMinima = 0;
  let gap = 0;
  let size = 1;
  for (let n = 0; n < numRows; n++) {
    const { energy, margin } = lieOf(params, dim, pictureAt(pictures, n));
    energies[n] = energy;
    numMinima += margin > 0 ? 1 : 0;
    gap = Math.max(gap, Math.abs(margin - (result.margins[n] as number)));
    size = Math.max(size, Math.abs(margin), Math.abs(energy));
    await breathe();
  }
  return { numMinima, gap, passed: gap <= 1e-9 * size, energies };
}
