import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { isSet } from '../../lib/bit-pictures.js';
import { NUM_PIXELS, SIDE } from '../../lib/digits.js';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { fitWithoutData } from './machine.js';
import { base64 } from './pictures-text.js';
import { etaOf } from './posterior.js';
import type { Restore } from './restore.svelte.js';
import { drawsWithoutModel } from './steps.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: Restore, pictures: () => Element): DownloadItem[] {
  const sheet: DownloadItem = {
    label: 'Pictures, PNG',
    detail: 'All pictures on one sheet, as shown',
    enabled: true,
    save: () => {
      const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
      picturesToPng(pictures(), 'unnorm · Restore', colours).then(
        (png) => download('restore.png', png, 'image/png'),
        (error: unknown) => lab.run.report(error),
      );
    },
  };
  if (lab.isNoise) {
    return [
      {
        label: 'Restoration, JSON',
        detail: 'Settings, pictures, energies, digests',
        enabled: lab.noisy.draws !== undefined,
        save: () => download('restore.json', noisyJson(lab), 'application/json'),
      },
      {
        label: 'Pixels, CSV',
        detail: 'Each pixel: true, seen, the answers, its mean',
        enabled: lab.noisy.draws !== undefined,
        save: () => download('restore.csv', noisyCsv(lab), 'text/csv'),
      },
      sheet,
    ];
  }
  return [
    {
      label: 'Completions, JSON',
      detail: 'Settings, pictures, numbers, digests',
      enabled: lab.completion.completed !== undefined,
      save: () => download('completions.json', completionJson(lab), 'application/json'),
    },
    {
      label: 'Pixels, CSV',
      detail: 'Each pixel: the digit, whether erased, its mean',
      enabled: lab.completion.completed !== undefined,
      save: () => download('completions.csv', completionCsv(lab), 'text/csv'),
    },
    sheet,
  ];
}

const packed = (bits: Uint8Array | undefined) => bits && base64(bits);

function noisyJson(lab: Restore): string {
  const { noisy, plainSettings } = lab;
  const { picture, seen, side, descent, cut, draws, checks } = noisy;
  const answer = (one: typeof cut) => one && { ...one, bits: packed(one.bits) };
  return JSON.stringify(
    {
      link: lab.link(),
      side,
      beta: seen?.beta,
      eta: seen && etaOf(seen.noise),
      // Packed, row by row, least significant bit first.
      picture: packed(picture?.bits),
      seen: packed(seen?.bits),
      hole: packed(seen?.hole),
      descent: answer(descent),
      cut: answer(cut),
      spec: drawsWithoutModel(plainSettings.draws, plainSettings.seed),
      draws: draws && { ...draws, means: [...draws.means], likeliest: packed(draws.likeliest) },
      checks,
    },
    null,
    1,
  );
}

function noisyCsv({ noisy }: Restore): string {
  const { picture, seen, side, descent, cut, draws } = noisy;
  const at = (bits: Uint8Array | undefined, n: number) => (bits ? Number(isSet(bits, n)) : '');
  const lines = Array.from({ length: side * side }, (_, n) =>
    [
      Math.floor(n / side),
      n % side,
      at(picture?.bits, n),
      seen && isSet(seen.hole, n) ? '' : at(seen?.bits, n),
      at(descent?.bits, n),
      at(cut?.bits, n),
      at(draws?.likeliest, n),
      draws?.means[n] ?? '',
    ].join(','),
  );
  return `${['row,column,true,seen,descent,cut,likeliest,mean', ...lines].join('\n')}\n`;
}

function completionJson(lab: Restore): string {
  const { digit, erased, machine, completions, completed, likelihood } = lab.completion;
  return JSON.stringify(
    {
      link: lab.link(),
      machine: { spec: fitWithoutData(lab.plainSettings), digest: machine?.digest },
      digit: packed(digit?.bits),
      erased: packed(erased),
      completions: completions?.rows.map(base64),
      numSweeps: completions?.numSweeps,
      ...completed,
      means: completed && [...completed.means],
      likelihood,
    },
    null,
    1,
  );
}

function completionCsv({ completion }: Restore): string {
  const { digit, erased, completed } = completion;
  const lines = Array.from({ length: NUM_PIXELS }, (_, n) =>
    [
      Math.floor(n / SIDE),
      n % SIDE,
      digit ? Number(isSet(digit.bits, n)) : '',
      Number(isSet(erased, n)),
      completed?.means[n] ?? '',
    ].join(','),
  );
  return `${['row,column,digit,erased,mean', ...lines].join('\n')}\n`;
}
