import { writeNpy } from 'unnorm';
import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { filterPictures, patchesSpecWithoutPictures } from '../../patches/patches.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { fitSpecWithoutStates } from './fit-spec.js';
import type { PicturesLab } from './pictures.svelte.js';
import { ofThePatches } from './settings.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: PicturesLab, pictures: () => Element): DownloadItem[] {
  const { shown, setup } = lab;
  return [
    {
      label: 'Model, JSON',
      detail: 'Specs, filters, transform, numbers and digest',
      enabled: lab.digest !== undefined,
      save: () => download('pictures.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Filters, NPY',
      detail: 'For NumPy, float64, filters × components',
      enabled: shown !== undefined,
      save: () => {
        if (!shown || !setup) return;
        const dim = setup.result.variances.length;
        saveNpy('filters.npy', Float64Array.from(shown.filters), [shown.filters.length / dim, dim]);
      },
    },
    {
      label: 'Receptive fields, NPY',
      detail: 'On the pixels as shown, filters × rows × columns',
      enabled: shown !== undefined,
      save: () => {
        if (!shown || !setup) return;
        const { transform } = setup.result;
        const side = transform.patchSize;
        const fields = filterPictures(
          transform,
          Float64Array.from(shown.filters),
          lab.settings.filters,
        );
        saveNpy('receptive-fields.npy', fields, [fields.length / side ** 2, side, side]);
      },
    },
    {
      label: 'Pictures, PNG',
      detail: 'Patches, filters, samples and curves on one sheet',
      enabled: setup !== undefined,
      save: () => {
        const { followsRun, place } = lab.replay;
        const heading = `unnorm · Pictures${followsRun ? '' : ` · ${place}`}`;
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), heading, colours).then(
          (png) => download('pictures.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function saveNpy(name: string, values: Float64Array, shape: number[]): void {
  download(name, writeNpy(values, shape), 'application/octet-stream');
}

function resultJson(lab: PicturesLab): string {
  const { run, settings, setup, beside } = lab;
  if (!run.result || !setup) throw new Error('There is no result yet.');
  const { model, ...numbers } = run.result;
  const { transform, digest, totalVariance } = setup.result;
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { model: start, ...spec } = fitSpecWithoutStates(settings);
  return JSON.stringify(
    {
      link: lab.link(),
      patches: {
        pictures: setup.pictures.map(({ name, width, height }) => ({ name, width, height })),
        spec: patchesSpecWithoutPictures(ofThePatches(settings)),
        transform,
        totalVariance,
        digest,
      },
      spec: { model: start, ...spec },
      ...numbers,
      seconds: run.seconds,
      logLikelihood: {
        test: beside.test,
        training: beside.training,
        gaussian: setup.gaussian,
      },
      model,
    },
    plain,
    1,
  );
}
