import { writeNpy } from 'unnorm';
import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { NUM_PIXELS } from '../../lib/digits.js';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { DigitsRbm } from './digits-rbm.svelte.js';
import { fitSpecWithoutData } from './fit-spec.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: DigitsRbm, pictures: () => Element): DownloadItem[] {
  const learned = lab.latest?.model;
  return [
    {
      label: 'Model, JSON',
      detail: 'Spec, weights, biases, numbers and digest',
      enabled: lab.digest !== undefined,
      save: () => download('digits-rbm.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Weights, NPY',
      detail: 'W for NumPy, float64, hidden × visible',
      enabled: learned !== undefined,
      save: () => {
        if (!learned) return;
        const shape = [learned.hiddenBias.length, NUM_PIXELS];
        const npy = writeNpy(Float64Array.from(learned.weights), shape);
        download('weights.npy', npy, 'application/octet-stream');
      },
    },
    {
      label: 'Curves, CSV',
      detail: 'What the held-out digits said, by time',
      enabled: lab.judged.updates.length > 0,
      save: () => download('digits-rbm.csv', curvesCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'Filters, samples and curves on one sheet',
      enabled: learned !== undefined,
      save: () => {
        const { followsRun, place } = lab.replay;
        const heading = `unnorm · Digits: RBM${followsRun ? '' : ` · ${place}`}`;
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), heading, colours).then(
          (png) => download('digits-rbm.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function resultJson(lab: DigitsRbm): string {
  const { run, settings } = lab;
  if (!run.result) throw new Error('There is no result yet.');
  const { model, ...numbers } = run.result;
  return JSON.stringify(
    {
      link: lab.link(),
      spec: fitSpecWithoutData(settings),
      data: { name: 'mnist-binary-9000', numRows: settings.rows, dim: NUM_PIXELS },
      ...numbers,
      seconds: run.seconds,
      heldOut: lab.judged,
      model: {
        ...model,
        weights: [...model.weights],
        visibleBias: [...model.visibleBias],
        hiddenBias: [...model.hiddenBias],
      },
    },
    null,
    1,
  );
}

function curvesCsv({ judged }: DigitsRbm): string {
  const names = Object.keys(judged) as (keyof typeof judged)[];
  const lines = judged.updates.map((_, n) => names.map((name) => judged[name][n] ?? '').join(','));
  return `${[names.join(','), ...lines].join('\n')}\n`;
}
