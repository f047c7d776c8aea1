import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { EvidenceRace } from './evidence-race.svelte.js';
import { raceSpec } from './jobs.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: EvidenceRace, pictures: () => Element): DownloadItem[] {
  const enabled = lab.made.length > 0 || lab.contest.cells.length > 0;
  return [
    {
      label: 'Race, JSON',
      detail: 'Every spec with its result and its seconds',
      enabled,
      save: () => download('evidence-race.json', raceJson(lab), 'application/json'),
    },
    {
      label: 'Errors, CSV',
      detail: 'A row an estimator and setting',
      enabled: lab.made.length > 0,
      save: () => download('evidence-race.csv', errorsCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet',
      enabled: lab.table !== undefined,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Evidence race', colours).then(
          (png) => download('evidence-race.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function raceJson(lab: EvidenceRace): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { settings, table, truth, contest } = lab;
  const common = raceSpec(settings, table?.dim ?? settings.columns, table?.states);
  const jobs = lab.made.map(({ job, result, seconds }) => {
    // The table is the same for all.
    const { simulated: _, ...numbers } = result;
    return { estimator: job.estimator, seconds, result: numbers };
  });
  const comparison = contest.cells.map(({ maker, model, result }) => {
    const { logZ, standardError, bounds, digest } = result;
    return { table: maker, model, logZ, standardError, bounds, digest };
  });
  return `${JSON.stringify({ link: lab.link(), common, states: table?.states, truth, jobs, comparison }, plain)}\n`;
}

function errorsCsv({ standings, truth }: EvidenceRace): string {
  const head = 'estimator,setting,counts,meanError,sd,logEvidence,truth,secondsPerTrial,digest';
  const rows = standings.flatMap(({ line, points }) =>
    points.map(({ size, error, sd, combined, seconds, digest }) =>
      [line.id, size, line.counts, error, sd, combined, truth?.middle, seconds, digest].join(','),
    ),
  );
  return `${[head, ...rows].join('\n')}\n`;
}
