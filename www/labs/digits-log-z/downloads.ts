import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { DigitsLogZ } from './digits-log-z.svelte.js';
import { annealingSpec } from './jobs.js';
import { PATHS } from './settings.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: DigitsLogZ,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  const enabled = lab.made.length > 0;
  return [
    {
      label: 'Runs, JSON',
      detail: 'The machine, every run with its settings and its result, and the ink on the way',
      enabled,
      save: () => download('digits-log-z.json', runsJson(lab), 'application/json'),
    },
    {
      label: 'Estimates, CSV',
      detail: 'A row a run',
      enabled,
      save: () => download('digits-log-z.csv', estimatesCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet, as shown',
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Digits: log Z', colours).then(
          (png) => download('digits-log-z.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

/** Part by part, for all the log weights would make one text too long. */
function runsJson(lab: DigitsLogZ): Blob {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const text = (value: unknown) => JSON.stringify(value, plain);
  const ink = Object.fromEntries(
    PATHS.map(({ id }) => [id, lab.frames[id].map(({ beta, ink }) => ({ beta, ink }))]),
  );
  const { machine, exact } = lab.trained ?? {};
  const parts = [text({ link: lab.link(), machine, exact, ink }).slice(0, -1), ', "runs": ['];
  lab.made.forEach(({ path, settings, result, seconds, exact: logZ }, n) => {
    const run = {
      path: path.id,
      settings,
      spec: annealingSpec(settings),
      exact: logZ,
      seconds,
      result,
    };
    parts.push(n > 0 ? ',\n' : '\n', text(run));
  });
  parts.push('\n]}\n');
  return new Blob(parts);
}

function estimatesCsv(lab: DigitsLogZ): string {
  const head =
    'path,hidden,training,reference,distributions,chains,seed,logZ,standardError,lower,upper,exact,lowerBound,upperBound,bothWays,bothWaysError,weightEss,weightEssError,warnings,seconds,digest';
  const rows = lab.made.map(({ path, settings, result, seconds, exact }) => {
    const { hidden, training, reference, distributions, chains, seed } = settings;
    const { forward, bounds } = result;
    const { value, standardError, interval } = forward.logZ;
    return [
      path.id,
      hidden,
      training,
      reference,
      distributions,
      chains,
      seed,
      value,
      standardError,
      interval.lower,
      interval.upper,
      exact,
      bounds.lower,
      bounds.upper ?? '',
      result.logZ,
      result.standardError,
      forward.weightEss,
      forward.weightEssError,
      result.warnings.length,
      seconds,
      result.digest,
    ].join(',');
  });
  return `${[head, ...rows].join('\n')}\n`;
}
