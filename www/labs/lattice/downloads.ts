import { unpackBits, writeNpy } from 'unnorm/formats';
import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { t } from '../../lib/language.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { LatticeLab, Picture } from './lattice.svelte.js';
import { checkOf, type Point } from './point.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: LatticeLab,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  const { shown, points } = lab;
  return [
    {
      label: t('Lattice, PNG'),
      detail: t('As shown, one pixel a spin'),
      enabled: shown !== undefined,
      save: () => {
        const canvas = pictures().querySelector<HTMLCanvasElement>(
          'canvas[data-picture="Lattice"]',
        );
        canvas?.toBlob((png) => {
          if (png) download('lattice.png', png, 'image/png');
          else onerror(new Error('The lattice could not be saved as PNG.'));
        }, 'image/png');
      },
    },
    {
      label: t('Spins, NPY'),
      detail: t('The newest state for NumPy, −1 and 1, float64'),
      enabled: shown !== undefined,
      save: () => shown && download('spins.npy', spinsNpy(shown), 'application/octet-stream'),
    },
    {
      label: t('Points, CSV'),
      detail: t('Every temperature measured, with errors'),
      enabled: points.length > 0,
      save: () => download('lattice-points.csv', pointsCsv(points), 'text/csv'),
    },
    {
      label: t('Run, JSON'),
      detail: t('Settings, all segments with their seeds, points'),
      enabled: lab.done.length > 0,
      save: () => download('lattice.json', runJson(lab), 'application/json'),
    },
    {
      label: t('Pictures, PNG'),
      detail: t('All pictures on one sheet, as shown'),
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Lattice', colours).then(
          (png) => download('lattice-pictures.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function spinsNpy({ side, bits }: Picture): Uint8Array<ArrayBuffer> {
  const spins = Float64Array.from(
    unpackBits({ dim: side * side, numRows: 1, bits }),
    (bit) => 2 * bit - 1,
  );
  return writeNpy(spins, [side, side]);
}

function pointsCsv(points: readonly Point[]): string {
  const names = [
    'side',
    'sampler',
    'temperature',
    'field',
    'seed',
    'numSegments',
    'numDraws',
    'energy',
    'energyError',
    'magnetization',
    'magnetizationError',
    'ess',
    'seconds',
  ] as const;
  const lines = points.map((point) =>
    [...names.map((name) => point[name]), checkOf(point)?.exact ?? ''].join(','),
  );
  return `${[[...names, 'exactTorusEnergy'].join(','), ...lines].join('\n')}\n`;
}

function runJson(lab: LatticeLab): string {
  return JSON.stringify(
    { link: lab.link(), settings: lab.settings, segments: lab.done, points: lab.points },
    null,
    1,
  );
}
