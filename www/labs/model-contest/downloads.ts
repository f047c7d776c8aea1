import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { compare } from '../../lib/ranking.js';
import { patchesSpecWithoutPictures } from '../../patches/patches.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { ModelContest } from './model-contest.svelte.js';
import { annealingsOf, hasLoss, lossOf, noiseSeed, sizeOf, trainingOf } from './plan.js';
import { ofThePatches } from './settings.js';
import type { Standing } from './standing.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: ModelContest, pictures: () => Element): DownloadItem[] {
  const hasSome = lab.ranking.length > 0;
  return [
    {
      label: 'Results, JSON',
      detail: 'Specs, models, log likelihoods of every patch, digests',
      enabled: hasSome,
      save: () => download('model-contest.json', resultsJson(lab), 'application/json'),
    },
    {
      label: 'Standings, CSV',
      detail: 'One row a model',
      enabled: hasSome,
      save: () => download('model-contest.csv', standingsCsv(lab), 'text/csv'),
    },
    {
      label: 'Log likelihoods, CSV',
      detail: 'A row a test patch, a column a model, in nats',
      enabled: hasSome,
      save: () => download('log-likelihoods.csv', rowsCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'Chart, filters and samples on one sheet',
      enabled: lab.setup !== undefined,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Model contest', colours).then(
          (png) => download('model-contest.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function resultsJson(lab: ModelContest): string {
  const { setup, setting, ranking, standings, favour } = lab;
  if (!setup) throw new Error('There is no result yet.');
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { transform, digest, testStates } = setup.result;
  const comparisons = ranking.flatMap((a, n) =>
    ranking.slice(n + 1).map((b) => ({
      ahead: a.contestant.id,
      behind: b.contestant.id,
      ...compare(a.judged, b.judged, favour),
    })),
  );
  const all = {
    link: lab.link(),
    digest: lab.digest,
    patches: {
      pictures: setup.pictures.map(({ name, width, height }) => ({ name, width, height })),
      spec: patchesSpecWithoutPictures(ofThePatches(setting)),
      transform,
      testStates,
      digest,
    },
    contestants: standings.map((standing) => ({
      ...told(standing, lab),
      spec: {
        size: sizeOf(standing.contestant, setting),
        noiseSeed: noiseSeed(standing.contestant, setting),
        training: trainingOf(standing.contestant, setting),
        annealings: annealingsOf(standing.contestant, setting),
        ...(hasLoss(standing.contestant) && { drawn: lossOf(standing.contestant, setting) }),
      },
      fit: standing.entry.fit,
      exactLogZ: standing.entry.exact,
      annealings: standing.entry.annealed.map(
        ({ logZ, standardError, likelihood, warnings, ...rest }) => ({
          logZ,
          standardError,
          likelihood,
          weightEss: rest.forward.weightEss,
          warnings,
          digest: rest.digest,
        }),
      ),
      withoutBasis: standing.entry.zero?.likelihood,
      drawn: standing.entry.loss?.likelihood,
      rows: standing.judged?.rows,
      model: standing.entry.model,
    })),
    ranking: ranking.map(({ contestant, first, last }) => ({ id: contestant.id, first, last })),
    favour,
    comparisons,
    checks: lab.checks.map(({ standing, ...check }) => ({ id: standing.contestant.id, ...check })),
  };
  return `${JSON.stringify(all, plain, 1)}\n`;
}

/** A contestant in plain numbers. */
function told(
  { contestant, entry, judged, value, annealingError, rowError, loss, exact }: Standing,
  lab: ModelContest,
) {
  const ranked = lab.ranking.find((one) => one.contestant.id === contestant.id);
  return {
    id: contestant.id,
    name: contestant.name,
    firstPlace: ranked?.first,
    lastPlace: ranked?.last,
    logLikelihood: judged ? value : undefined,
    isExact: judged ? exact !== undefined : undefined,
    annealingError: judged ? annealingError : undefined,
    rowError: judged ? rowError : undefined,
    loss,
    trainingSeconds: entry.trainingSeconds,
    judgingSeconds: entry.judgingSeconds,
    failure: entry.failure,
  };
}

function standingsCsv(lab: ModelContest): string {
  const rows = lab.standings.map((standing) => told(standing, lab));
  const names = Object.keys(rows[0] ?? {}) as (keyof ReturnType<typeof told>)[];
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join(','));
  return `${[names.join(','), ...lines].join('\n')}\n`;
}

function rowsCsv({ ranking }: ModelContest): string {
  const num = ranking[0]?.judged.rows.length ?? 0;
  const lines = Array.from({ length: num }, (_, row) =>
    [row, ...ranking.map(({ judged }) => judged.rows[row])].join(','),
  );
  return `${[['patch', ...ranking.map(({ contestant }) => contestant.id)].join(','), ...lines].join('\n')}\n`;
}

function cell(value: string | number | boolean | undefined): string {
  if (typeof value === 'string') return `"${value.replaceAll('"', '""')}"`;
  return value === undefined ? '' : String(value);
}
