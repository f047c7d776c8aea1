import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { type IsingRace, raceSpec } from './ising-race.svelte.js';
import { stateOf } from './standing.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: IsingRace, pictures: () => Element): DownloadItem[] {
  const hasCourse = lab.standings.some(({ errors }) => errors !== undefined);
  return [
    {
      label: 'Race, JSON',
      detail: 'Specs, courses, numbers and couplings',
      enabled: hasCourse && !lab.group.busy && lab.isCurrent,
      save: () => download('ising-race.json', raceJson(lab), 'application/json'),
    },
    {
      label: 'Courses, CSV',
      detail: 'Errors of every method against seconds',
      enabled: hasCourse,
      save: () => download('ising-race.csv', coursesCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet',
      enabled: lab.truth !== undefined,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Ising: race', colours).then(
          (png) => download('ising-race.png', png, 'image/png'),
          (error: unknown) => lab.group.report(error),
        );
      },
    },
  ];
}

function raceJson(lab: IsingRace): string {
  const { settings, rows } = lab;
  const dim = rows?.dim ?? 0;
  return JSON.stringify(
    {
      link: lab.link(),
      data: { numRows: settings.rows, dim },
      order: settings.order,
      numWorkers: lab.numWorkers,
      methods: lab.standings.map((standing) => ({
        name: standing.method.name,
        spec: raceSpec(standing.method.id, settings, dim),
        state: stateOf(standing),
        stopReason: standing.stopReason,
        warnings: standing.warnings,
        message: standing.message,
        seconds: standing.seconds,
        objective: standing.objective,
        numEvaluations: standing.numEvaluations,
        digest: standing.digest,
        meanSquareError: standing.errors,
        course: {
          seconds: standing.course.seconds,
          all: standing.course.errors.map(({ all }) => all),
          offDiagonal: standing.course.errors.map(({ offDiagonal }) => offDiagonal),
        },
        correlations: lab.correlations.measured[standing.method.id] ?? [],
        couplings: standing.learned && [...standing.learned],
      })),
    },
    null,
    1,
  );
}

function coursesCsv(lab: IsingRace): string {
  const lines = lab.standings.flatMap(({ method, course }) =>
    course.seconds.map((seconds, n) => {
      const { offDiagonal, all } = course.errors[n] ?? {};
      return `${method.id},${seconds},${offDiagonal},${all}`;
    }),
  );
  return `${['method,seconds,errorOffDiagonal,errorAll', ...lines].join('\n')}\n`;
}
