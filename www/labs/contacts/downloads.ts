import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { Contacts } from './contacts.svelte.js';
import { LETTERS } from './sequences.js';
import { fitSpec } from './settings.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: Contacts, pictures: () => Element): DownloadItem[] {
  return [
    {
      label: 'Pairs, CSV',
      detail: 'All pairs: sites from 1, couplings, mutual information',
      enabled: lab.result !== undefined,
      save: () => download('pairs.csv', pairsCsv(lab), 'text/csv'),
    },
    {
      label: 'Result, JSON',
      detail: 'Spec, fitted model and digest',
      enabled: lab.result !== undefined,
      save: () => download('contacts.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Sequences, FASTA',
      detail: 'Those that were drawn',
      enabled: lab.fold !== undefined && lab.sequences !== undefined,
      save: () => download('sequences.fasta', fasta(lab), 'text/plain'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet',
      enabled: lab.result !== undefined,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Contacts', colours).then(
          (png) => download('contacts.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function pairsCsv({ couplings, information, truth }: Contacts): string {
  const informations = new Map(
    information.all.map(({ i, j, strength }) => [`${i} ${j}`, strength]),
  );
  const contacts = truth && new Set(truth.contacts.map(([i, j]) => `${i} ${j}`));
  const lines = couplings.all.map(({ i, j, strength }) => {
    const key = `${i} ${j}`;
    return [
      i + 1,
      j + 1,
      strength,
      informations.get(key) ?? '',
      ...(contacts ? [Number(contacts.has(key))] : []),
    ].join(',');
  });
  const heads = `i,j,couplings,mutual information${contacts ? ',contact' : ''}`;
  return `${[heads, ...lines].join('\n')}\n`;
}

function resultJson(lab: Contacts): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { settings, own, truth, result } = lab;
  const written = {
    link: lab.link(),
    ...(own.content && { file: own.content.name }),
    spec: fitSpec(settings),
    result,
    ...(truth && { truth: truth.model }),
  };
  return `${JSON.stringify(written, plain, 1)}\n`;
}

function fasta({ sequences }: Contacts): string {
  if (!sequences) return '';
  const { rows, numSites, values } = sequences;
  return Array.from({ length: rows.numRows }, (_, row) => {
    const letters = Array.from(
      { length: numSites },
      (_, site) => LETTERS[values[row * numSites + site] ?? 0],
    );
    return `>${row + 1}\n${letters.join('')}\n`;
  }).join('');
}
