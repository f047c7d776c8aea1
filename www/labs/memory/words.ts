import { count, real } from '../../lib/format.js';
import type { Minimum } from './explore.js';
import type { MemoryLab } from './memory.svelte.js';

/** What came of the cue, in one or two sentences. */
export function recallVerdict(lab: MemoryLab): string {
  const { recalled, busy, replay, picked } = lab.recall;
  if (!lab.memory) return 'Store the pictures first. Then spoil one on the grid, and recall it.';
  if (!recalled) {
    return busy
      ? 'Going down the energy.'
      : 'Smear the picture on the grid, or spoil it, and press Recall.';
  }
  if (replay.playing) return 'Going down the energy, bit by bit.';
  const numFlips = recalled.path.sites.length;
  if (numFlips === 0) return 'Nothing moves: this state is a minimum already.';
  const how = `With ${count(numFlips)} ${numFlips === 1 ? 'flip' : 'flips'} the energy fell from ${real(recalled.energies[0] ?? 0, 5)} to ${real(recalled.energies.at(-1) ?? 0, 5)} nats.`;
  const { names } = lab.memory.pictures;
  const nearest = names[recalled.nearest] ?? '';
  if (recalled.distance === 0) {
    if (picked === recalled.nearest)
      return `It came back: ${nearest}, bit by bit as it was stored. ${how}`;
    return `It came to ${nearest}${picked === undefined ? '' : `, not to ${names[picked]}, which the cue was made from`}. ${how}`;
  }
  return `It came to rest in a minimum that is none of the pictures: ${count(recalled.distance)} bits from ${nearest}, the nearest picture. ${how}`;
}

/** What a minimum is, in a word or two. */
export function kindOf({ kind, nearest, distance }: Minimum, names: readonly string[]): string {
  if (kind === 'stored') return `stored: ${names[nearest]}`;
  if (kind === 'negative') return 'negative of a stored picture';
  return `spurious: ${count(distance)} bits from ${names[nearest]}`;
}

/** Shares in percent: 12 %; less than 1 %. */
export function percent(part: number, whole: number): string {
  const share = (100 * part) / Math.max(1, whole);
  if (share > 0 && share < 1) return 'less than 1 %';
  return share < 100 && share > 99 ? 'more than 99 %' : `${Math.round(share)} %`;
}
