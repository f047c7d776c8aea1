import { unpackBits, writeNpy } from 'unnorm/formats';
import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { t } from '../../lib/language.js';
import type { PackedRows } from '../../lib/packed-rows.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { meanOf } from './capacity.svelte.js';
import type { MemoryLab } from './memory.svelte.js';
import { base64 } from './own-pictures.js';
import { memorizeSpec } from './rules.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: MemoryLab,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  const sheet: DownloadItem = {
    label: t('Pictures, PNG'),
    detail: t('The grid and the curves on one sheet, as shown'),
    enabled: true,
    save: () => {
      const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
      picturesToPng(pictures(), 'unnorm · Memory', colours).then(
        (png) => download('memory.png', png, 'image/png'),
        onerror,
      );
    },
  };
  if (lab.isCapacity) {
    return [
      {
        label: t('Capacity, CSV'),
        detail: t('The part stored, by rule, patterns and trial'),
        enabled: lab.capacity.points.length > 0,
        save: () => download('memory-capacity.csv', capacityCsv(lab), 'text/csv'),
      },
      sheet,
    ];
  }
  const { memory } = lab;
  const { recalled } = lab.recall;
  const shownPictures = memory?.pictures ?? lab.pictures;
  return [
    {
      label: t('Memory, JSON'),
      detail: t('Settings, pictures, margins, minima, recall, digests'),
      enabled: memory !== undefined,
      save: () => download('memory.json', memoryJson(lab), 'application/json'),
    },
    {
      label: t('Network, NPY'),
      detail: t('Biases and couplings i < j for NumPy, float64'),
      enabled: memory !== undefined,
      save: () =>
        memory &&
        download(
          'memory-network.npy',
          writeNpy(memory.params, [memory.params.length]),
          'application/octet-stream',
        ),
    },
    {
      label: t('Pictures, NPY'),
      detail: t('A row each, 0 and 1, float64'),
      enabled: shownPictures !== undefined && shownPictures.rows.numRows > 0,
      save: () =>
        shownPictures &&
        download('memory-pictures.npy', rowsNpy(shownPictures.rows), 'application/octet-stream'),
    },
    {
      label: t('Recall, CSV'),
      detail: t('Every flip: the pixel, and the energy after it'),
      enabled: recalled !== undefined,
      save: () => download('memory-recall.csv', recallCsv(lab), 'text/csv'),
    },
    {
      label: t('By flipped bits, CSV'),
      detail: t('The part that comes back, by rule and flips'),
      enabled: lab.byFlips.numDone > 0,
      save: () => download('memory-by-flips.csv', byFlipsCsv(lab), 'text/csv'),
    },
    sheet,
  ];
}

function byFlipsCsv({ byFlips }: MemoryLab): string {
  const lines = byFlips.curves.flatMap(({ rule, parts }) =>
    parts.map((part, n) => `${rule},${byFlips.flips[n]},${part}`),
  );
  return `${['rule,flips,part', ...lines].join('\n')}\n`;
}

function rowsNpy(rows: PackedRows): Uint8Array<ArrayBuffer> {
  return writeNpy(Float64Array.from(unpackBits(rows)), [rows.numRows, rows.dim]);
}

function recallCsv({ recall, side }: MemoryLab): string {
  const { recalled } = recall;
  if (!recalled) return '';
  const { sites, updates } = recalled.path;
  const lines = recalled.energies.map((energy, flips) => {
    const site = flips > 0 ? (sites[flips - 1] as number) : undefined;
    const place =
      site === undefined
        ? ['', '', '']
        : [Math.floor(site / side), site % side, updates[flips - 1]];
    return [flips, ...place, energy, recalled.distances?.[flips] ?? ''].join(',');
  });
  return `${['flips,row,column,update,energy,distance', ...lines].join('\n')}\n`;
}

function capacityCsv({ capacity, settings }: MemoryLab): string {
  const lines = [...capacity.points]
    .sort((a, b) => a.numPatterns - b.numPatterns)
    .map(({ rule, numPatterns, stored, bits, passes }) => {
      const { value, error } = meanOf(stored);
      const trials = [...stored, ...Array<string>(settings.trials - stored.length).fill('')];
      return [
        settings.units,
        rule,
        numPatterns,
        value,
        error ?? '',
        meanOf(bits).value,
        meanOf(passes).value,
        ...trials,
      ].join(',');
    });
  const trials = Array.from({ length: settings.trials }, (_, n) => `trial${n + 1}`);
  const head = ['units', 'rule', 'numPatterns', 'stored', 'error', 'bits', 'passes', ...trials];
  return `${[head.join(','), ...lines].join('\n')}\n`;
}

function memoryJson(lab: MemoryLab): string {
  const { memory, recall, minima, check } = lab;
  if (!memory) throw new Error('Nothing is stored yet.');
  const settings = lab.plainSettings;
  const { own, ...plain } = settings;
  const { recalled } = recall;
  const { model, stored, margins, numWrong, ...numbers } = memory.result;
  return JSON.stringify(
    {
      link: lab.link(),
      settings: { ...plain, numOwn: own.pictures.length },
      spec: memorizeSpec(settings, memory.pictures.rows.dim),
      pictures: {
        names: memory.pictures.names,
        side: memory.pictures.side,
        // Packed, row by row, least significant bit first.
        base64: base64(memory.pictures.rows.bits),
      },
      ...numbers,
      stored: [...stored],
      margins: [...margins],
      numWrong: [...numWrong],
      energies: check && [...check.energies],
      minima: minima.map(({ bits, ...minimum }) => ({ ...minimum, base64: base64(bits) })),
      recall: recalled && {
        cue: base64(recalled.start),
        end: base64(recalled.end),
        nearest: memory.pictures.names[recalled.nearest],
        distance: recalled.distance,
        sites: Array.from(recalled.path.sites),
        energies: recalled.energies,
        digest: recalled.confirmed?.result.digest,
      },
    },
    null,
    1,
  );
}
