import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { asNumbers } from './data.js';
import type { FitEnergy } from './fit-energy.svelte.js';
import { fitSpecWithoutData } from './jobs.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: FitEnergy, pictures: () => Element): DownloadItem[] {
  return [
    {
      label: 'Result, JSON',
      detail: 'Spec, parameters, errors, covariance and digest',
      enabled: lab.result !== undefined,
      save: () => download('fit-energy.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Parameters, CSV',
      detail: 'Estimates with errors and intervals',
      enabled: lab.estimates !== undefined,
      save: () => download('parameters.csv', parametersCsv(lab), 'text/csv'),
    },
    {
      label: 'Other fits, CSV',
      detail: 'The estimates of every fit to other data',
      enabled: lab.repeats.length > 0,
      save: () => download('other-fits.csv', repeatsCsv(lab), 'text/csv'),
    },
    {
      label: 'Data, CSV',
      detail: 'The rows that were fitted',
      enabled: lab.rows !== undefined,
      save: () => download('data.csv', dataCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet',
      enabled: lab.rows !== undefined,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Fit an energy', colours).then(
          (png) => download('fit-energy.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function resultJson(lab: FitEnergy): string {
  const { settings, model, radius, result, rows, truth, repeats, coverages } = lab;
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  return `${JSON.stringify(
    {
      link: lab.link(),
      spec: { model, ...fitSpecWithoutData(settings.method, radius, settings.seed) },
      data: {
        numRows: rows?.numRows,
        dim: rows?.dim,
        ...(lab.own.content && { file: lab.own.content.name }),
      },
      result,
      ...(truth && { truth }),
      otherFits: repeats,
      coverages,
    },
    plain,
    1,
  )}\n`;
}

function parametersCsv({ estimates = [], truth }: FitEnergy): string {
  const lines = estimates.map(({ name, value, standardError, lower, upper }) =>
    [name, value, standardError, lower, upper, ...(truth ? [truth[name]] : [])].join(','),
  );
  const head = `parameter,estimate,standardError,lower,upper${truth ? ',truth' : ''}`;
  return `${[head, ...lines].join('\n')}\n`;
}

function repeatsCsv({ repeats }: FitEnergy): string {
  const lines = repeats.flatMap(({ estimates = [], digest }, n) =>
    estimates.map(({ name, value, standardError, lower, upper }) =>
      [n + 1, name, value, standardError, lower, upper, digest].join(','),
    ),
  );
  return `${['fit,parameter,estimate,standardError,lower,upper,digest', ...lines].join('\n')}\n`;
}

function dataCsv({ rows, variables }: FitEnergy): string {
  if (!rows) return '';
  const { dim, numRows } = rows;
  const numbers = asNumbers(rows);
  const lines = Array.from({ length: numRows }, (_, row) =>
    numbers.subarray(row * dim, (row + 1) * dim).join(','),
  );
  return `${[variables.join(','), ...lines].join('\n')}\n`;
}
