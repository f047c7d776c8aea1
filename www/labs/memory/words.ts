import { count, real } from '../../lib/format.js';
import { t } from '../../lib/language.js';
import type { Minimum } from './explore.js';
import type { MemoryLab } from './memory.svelte.js';

/** What came of the cue, in one or two sentences. */
export function recallVerdict(lab: MemoryLab): string {
  const { recalled, busy, replay, picked } = lab.recall;
  if (!lab.memory) return t('Store the pictures first. Then spoil one on the grid, and recall it.');
  if (!recalled) {
    return busy
      ? t('Going down the energy.')
      : t('Smear the picture on the grid, or spoil it, and press Recall.');
  }
  if (replay.playing) return t('Going down the energy, bit by bit.');
  const numFlips = recalled.path.sites.length;
  if (numFlips === 0) return t('Nothing moves: this state is a minimum already.');
  const how = t('With {numFlips} {what} the energy fell from {energies} to {energies2} nats.', {
    numFlips: count(numFlips),
    what: numFlips === 1 ? t('flip') : t('flips'),
    energies: real(recalled.energies[0] ?? 0, 5),
    energies2: real(recalled.energies.at(-1) ?? 0, 5),
  });
  const { names } = lab.memory.pictures;
  const nearest = names[recalled.nearest] ?? '';
  if (recalled.distance === 0) {
    if (picked === recalled.nearest)
      return t('It came back: {nearest}, bit by bit as it was stored. {how}', { nearest, how });
    return t('It came to {nearest}{what}. {how}', {
      nearest,
      what:
        picked === undefined
          ? ''
          : t(', not to {picked}, which the cue was made from', { picked: names[picked] }),
      how,
    });
  }
  return t(
    'It came to rest in a minimum that is none of the pictures: {distance} bits from {nearest}, the nearest picture. {how}',
    { distance: count(recalled.distance), nearest, how },
  );
}

/** What a minimum is, in a word or two. */
export function kindOf({ kind, nearest, distance }: Minimum, names: readonly string[]): string {
  if (kind === 'stored') return t('stored: {nearest}', { nearest: names[nearest] });
  if (kind === 'negative') return t('negative of a stored picture');
  return t('spurious: {distance} bits from {nearest}', {
    distance: count(distance),
    nearest: names[nearest],
  });
}

/** Shares in percent: 12 %; less than 1 %. */
export function percent(part: number, whole: number): string {
  const share = (100 * part) / Math.max(1, whole);
  if (share > 0 && share < 1) return t('less than 1 %');
  return share < 100 && share > 99 ? t('more than 99 %') : `${Math.round(share)} %`;
}
