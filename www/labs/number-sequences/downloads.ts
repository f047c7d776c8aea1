import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { bitsOf, type Explanation, type Trial } from '../../lib/number-sequences.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { NumberSequences } from './number-sequences.svelte.js';
import { textOf } from './words.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: NumberSequences,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  return [
    {
      label: 'Search, JSON',
      detail: 'All that was tried, with probabilities, whole',
      enabled: true,
      save: () => download('number-sequence.json', searchJson(lab), 'application/json'),
    },
    {
      label: 'Picture, PNG',
      detail: 'The chain, as shown',
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Number sequences', colours).then(
          (png) => download('number-sequence.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function searchJson(lab: NumberSequences): string {
  const { settings, found, chain, next, range } = lab;
  return JSON.stringify(
    {
      link: lab.link(),
      numbers: settings.numbers,
      keep: settings.keep,
      chain: chain.map(plain),
      levels: found.levels.map(({ best, trials }) => ({
        best: plain(best),
        trials: trials.map(plainTrial),
      })),
      inVain: found.inVain.map(plainTrial),
      step: settings.step,
      next: range ?? next[0],
    },
    null,
    1,
  );
}

function plain(explanation: Explanation) {
  const { residues, probability, score } = explanation;
  return { expression: textOf(explanation), residues, probability, score, bits: bitsOf(score) };
}

function plainTrial({ from, production, made, problem, isKept }: Trial) {
  return { from: textOf(from), production, made: made && plain(made), problem, isKept };
}
