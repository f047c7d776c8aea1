import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { t as translate } from '../../lib/language.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { Mixing } from './mixing.svelte.js';
import { markedSet } from './words.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: Mixing,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  return [
    {
      label: translate('Chain, JSON'),
      detail: translate('Spec, matrix and all numbers of the result'),
      enabled: lab.result !== undefined,
      save: () => download('chain.json', chainJson(lab), 'application/json'),
    },
    {
      label: translate('States, CSV'),
      detail: translate('Each state after t steps, and π'),
      enabled: lab.result !== undefined,
      save: () => download('states.csv', statesCsv(lab), 'text/csv'),
    },
    {
      label: translate('Sizes, CSV'),
      detail: translate('Gaps of Curie–Weiss, a row a size'),
      enabled: lab.sizes.made.length > 0,
      save: () => download('sizes.csv', sizesCsv(lab), 'text/csv'),
    },
    {
      label: translate('Spec, JSON'),
      detail: translate('What engine.chain and the command line take'),
      enabled: true,
      save: () =>
        download('spec.json', `${JSON.stringify(lab.chain.spec, null, 2)}\n`, 'application/json'),
    },
    {
      label: translate('Pictures, PNG'),
      detail: translate('All pictures on one sheet, as shown'),
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Mixing', colours).then(
          (png) => download('mixing.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function chainJson(lab: Mixing): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { chain, matrix, start, t, now, distance, result } = lab;
  const { spec, names } = chain;
  const shown = { start, t, probabilities: now, distance };
  return `${JSON.stringify({ link: lab.link(), spec, names, matrix, shown, result }, plain)}\n`;
}

function statesCsv({ chain, now, result, t, start }: Mixing): string {
  const marked = markedSet(result);
  const rows = chain.names.map((name, n) =>
    [
      name,
      n === start ? 1 : 0,
      t,
      now?.[n] ?? '',
      result?.stationary[n] ?? '',
      result?.closedClass[n] ?? '',
      result?.conductance && marked.has(n) ? 1 : 0,
    ].join(','),
  );
  return `${['state,start,steps,probability,stationary,closedClass,bottleneck', ...rows].join('\n')}\n`;
}

function sizesCsv({ sizes }: Mixing): string {
  const rows = sizes.made.map(({ family, beta, size, gap, relaxationTime, conductance, digest }) =>
    [family, beta, size, gap, relaxationTime, conductance ?? '', digest].join(','),
  );
  return `${['chain,beta,size,gap,relaxationTime,conductance,digest', ...rows].join('\n')}\n`;
}
