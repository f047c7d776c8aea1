import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { LOG_EVIDENCE, LOG_EVIDENCE_WITHOUT_ONE } from '../../lib/surprising-path.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { specOf } from './run-made.js';
import type { Surprises } from './surprises.svelte.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: Surprises,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  const enabled = lab.made.length > 0;
  return [
    {
      label: 'Runs, JSON',
      detail: 'Every spec with its result, and the shares of z = 1',
      enabled,
      save: () => download('surprises.json', runsJson(lab), 'application/json'),
    },
    {
      label: 'Estimates, CSV',
      detail: 'A row a run',
      enabled,
      save: () => download('surprises.csv', estimatesCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet, as shown',
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Surprises', colours).then(
          (png) => download('surprises.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function runsJson(lab: Surprises): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const runs = lab.made.map(({ settings, result, seconds, sightings }) => ({
    spec: specOf(settings),
    seconds,
    sharesOfOne: sightings.map(({ beta, share }) => ({ beta, share })),
    result,
  }));
  const exact = { logEvidence: LOG_EVIDENCE, withoutOne: LOG_EVIDENCE_WITHOUT_ONE };
  return `${JSON.stringify({ link: lab.link(), exact, runs }, plain)}\n`;
}

function estimatesCsv(lab: Surprises): string {
  const head =
    'reference,distributions,chains,seed,logEvidence,standardError,lower,upper,exact,weightEss,warnings,lastShareOfOne,seconds,digest';
  const rows = lab.made.map(
    ({ settings, estimate, error, interval, result, sightings, seconds }) => {
      const { reference, distributions, chains, seed } = settings;
      return [
        reference,
        distributions,
        chains,
        seed,
        estimate,
        error,
        ...interval,
        LOG_EVIDENCE,
        result.forward.weightEss,
        result.warnings.length,
        sightings.at(-1)?.share ?? '',
        seconds,
        result.digest,
      ].join(',');
    },
  );
  return `${[head, ...rows].join('\n')}\n`;
}
