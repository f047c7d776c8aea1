import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { KernelSearch } from './kernel-search.svelte.js';
import { BAND } from './levels.js';
import { kernelsSpec } from './settings.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: KernelSearch, pictures: () => Element): DownloadItem[] {
  const isFound = lab.result !== undefined;
  return [
    {
      label: 'Result, JSON',
      detail: 'Spec, levels, components and digest',
      enabled: isFound,
      save: () => download('kernel-search.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Bands, CSV',
      detail: 'Values, mean and band of the level that is shown',
      enabled: lab.shown !== undefined,
      save: () => download('bands.csv', bandsCsv(lab), 'text/csv'),
    },
    {
      label: 'Components, CSV',
      detail: 'Mean and standard deviation of each',
      enabled: isFound,
      save: () => download('components.csv', componentsCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet',
      enabled: lab.series !== undefined,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Kernel search', colours).then(
          (png) => download('kernel-search.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function resultJson(lab: KernelSearch): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { settings, series, own, hidden, result } = lab;
  const scores = lab.levels.map(({ level, numParams, scores }) => ({
    text: level.text,
    numParams,
    ...scores,
  }));
  const spec = series && kernelsSpec(series, settings);
  const written = {
    link: lab.link(),
    ...(own.content && { file: own.content.name }),
    spec,
    hidden,
    scores,
    result,
  };
  return `${JSON.stringify(written, plain, 1)}\n`;
}

function bandsCsv({ shown, series, times, numSeen }: KernelSearch): string {
  const prediction = shown?.level.prediction;
  if (!shown || !prediction) return '';
  const lines = times.map((time, n) => {
    const mean = prediction.means[n] ?? 0;
    const reach = BAND * Math.sqrt((prediction.variances[n] ?? 0) + shown.level.noiseVariance);
    const cells = [
      time,
      series?.values[n] ?? '',
      n < numSeen ? 1 : 0,
      mean,
      mean - reach,
      mean + reach,
    ];
    return cells.join(',');
  });
  return `time,value,seen,mean,lower,upper\n${lines.join('\n')}\n`;
}

function componentsCsv({ result, times }: KernelSearch): string {
  const components = result?.components ?? [];
  const heads = components.flatMap(({ text }) => [`${text} mean`, `${text} sd`]);
  const lines = times.map((time, n) =>
    [
      time,
      ...components.flatMap(({ predicted }) => [
        predicted?.means[n] ?? '',
        predicted ? Math.sqrt(predicted.variances[n] ?? 0) : '',
      ]),
    ].join(','),
  );
  return `${['time', ...heads].join(',')}\n${lines.join('\n')}\n`;
}
