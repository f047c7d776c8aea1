import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { t } from '../../lib/language.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { Annealing } from './annealing.svelte.js';
import { judge } from './judge.js';
import { PATHS } from './settings.js';
import { specOf } from './specs.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: Annealing,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  const enabled = lab.shown !== undefined;
  return [
    {
      label: t('Results, JSON'),
      detail: t('Every spec with its result, log weights and all'),
      enabled,
      save: () => download('annealing.json', resultsJson(lab), 'application/json'),
    },
    {
      label: t('Estimates, CSV'),
      detail: t('A row a path and number of distributions'),
      enabled,
      save: () => download('annealing.csv', estimatesCsv(lab), 'text/csv'),
    },
    {
      label: t('Pictures, PNG'),
      detail: t('All pictures on one sheet, as shown'),
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Annealing', colours).then(
          (png) => download('annealing.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

/** Every run that has a result. */
function runsOf(lab: Annealing) {
  return lab.rungs.flatMap(({ numDistributions, results }) =>
    PATHS.flatMap(({ id }) => {
      const result = results[id];
      return result ? [{ path: id, numDistributions, result }] : [];
    }),
  );
}

/** Part by part, for all the log weights would make one text too long. */
function resultsJson(lab: Annealing): Blob {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const parts = [`{"link": ${JSON.stringify(lab.link())}, "runs": [`];
  runsOf(lab).forEach(({ path, numDistributions, result }, n) => {
    const spec = specOf(lab.settings, path, numDistributions);
    parts.push(n > 0 ? ',\n' : '\n', JSON.stringify({ spec, result }, plain));
  });
  parts.push('\n]}\n');
  return new Blob(parts);
}

function estimatesCsv(lab: Annealing): string {
  const head =
    'path,numDistributions,logZ,lower,upper,exactLogZ,weightEss,meanLogWeight,meanLogWeightError,theory,digest';
  const lines = runsOf(lab).map(({ path, numDistributions, result }) => {
    const { theory } = judge(result, path, lab.ends, lab.settings.transition);
    const { logZ, interval, exactLogZ = Number.NaN, forward, digest } = result;
    return [
      path,
      numDistributions,
      logZ,
      interval.lower,
      interval.upper,
      exactLogZ,
      forward.weightEss,
      forward.meanLogWeight,
      forward.meanLogWeightError,
      exactLogZ + theory,
      digest,
    ].join(',');
  });
  return `${[head, ...lines].join('\n')}\n`;
}
