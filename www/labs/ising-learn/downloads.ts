import { writeCsv, writeNpy } from 'unnorm/formats';
import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { comparedSpec } from './comparison.svelte.js';
import { fitSpecWithoutData } from './fit-spec.js';
import { behind, meanOf, type Scores } from './held-out.js';
import type { IsingLearn } from './ising-learn.svelte.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: IsingLearn, pictures: () => Element): DownloadItem[] {
  const { learned } = lab;
  const dim = learned ? Math.round(Math.sqrt(learned.length)) : 0;
  return [
    {
      label: 'Result, JSON',
      detail: 'Spec, couplings, numbers and digest',
      enabled: lab.digest !== undefined,
      save: () => download('ising-learn.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Couplings, CSV',
      detail: 'The learned J as text',
      enabled: learned !== undefined,
      save: () => learned && download('couplings.csv', writeCsv(learned, dim), 'text/csv'),
    },
    {
      label: 'Couplings, NPY',
      detail: 'The learned J for NumPy, float64',
      enabled: learned !== undefined,
      save: () =>
        learned &&
        download('couplings.npy', writeNpy(learned, [dim, dim]), 'application/octet-stream'),
    },
    {
      label: 'Comparison, JSON',
      detail: 'Specs, scores on rows held out, digests',
      enabled: lab.isCompared,
      save: () => download('ising-comparison.json', comparisonJson(lab), 'application/json'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet',
      enabled: lab.data !== undefined,
      save: () => {
        const { followsRun, place } = lab.replay;
        const heading = `unnorm · Ising: learn${followsRun ? '' : ` · ${place}`}`;
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), heading, colours).then(
          (png) => download('ising-learn.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function resultJson(lab: IsingLearn): string {
  const { data, run, settings } = lab;
  if (!data || !run.result) throw new Error('There is no result yet.');
  const { model, ...numbers } = run.result;
  return JSON.stringify(
    {
      link: lab.link(),
      spec: fitSpecWithoutData(settings, data),
      data: {
        numRows: data.rows.numRows,
        dim: data.rows.dim,
        ...(settings.data === 'own' && { file: lab.own.content?.name }),
      },
      ...numbers,
      seconds: run.seconds,
      ...(lab.errors && { meanSquareError: lab.errors }),
      model: { ...model, couplings: [...(lab.learned ?? [])] },
    },
    null,
    1,
  );
}

function comparisonJson(lab: IsingLearn): string {
  const { comparison, data, settings } = lab;
  const { best, baseline } = comparison;
  if (!data || !best || !baseline) throw new Error('There is no comparison yet.');
  const scored = (scores: Scores) => ({
    logLikelihood: meanOf(scores.logLikelihoods),
    ...(scores.error !== undefined && { logZError: scores.error }),
    logPseudolikelihood: meanOf(scores.logPseudolikelihoods),
    belowTheBest: behind(scores, best),
  });
  return JSON.stringify(
    {
      link: lab.link(),
      heldOut: 'every fifth row',
      numHeldOut: comparison.numHeldOut,
      numLearnedFrom: data.rows.numRows - comparison.numHeldOut,
      fits: comparison.contestants.map(({ id, result, seconds, scores, warnings, message }) => ({
        id,
        spec: comparedSpec(id, settings, data),
        ...(result && {
          objective: result.objective,
          converged: result.converged,
          digest: result.digest,
        }),
        ...(scores && scored(scores)),
        seconds,
        warnings: [...(result?.warnings ?? []), ...(warnings ?? [])],
        message,
      })),
      independentColumns: scored(baseline),
    },
    null,
    1,
  );
}
