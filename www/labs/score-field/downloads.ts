import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { gridStates } from '../../lib/density-grid.js';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { GRID } from './field.js';
import { shapeOf } from './jobs.js';
import type { ScoreField } from './score-field.svelte.js';
import { WINDOW } from './settings.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: ScoreField,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  return [
    {
      label: 'Learned energies, JSON',
      detail: 'Every level’s network with its digest, and what it was learned from',
      enabled: lab.course.numDone > 0,
      save: () => download('score-field.json', modelsJson(lab), 'application/json'),
    },
    {
      label: 'Field, CSV',
      detail: 'Learned and exact energy and gradient on the grid, a row a cell',
      enabled: lab.compared !== undefined,
      save: () => download('score-field.csv', fieldCsv(lab), 'text/csv'),
    },
    {
      label: 'Samples, CSV',
      detail: 'Every particle in the end: x, y and its exact energy',
      enabled: lab.view.flow !== undefined,
      save: () => download('score-field-samples.csv', samplesCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet, as shown',
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Score field', colours).then(
          (png) => download('score-field.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function modelsJson(lab: ScoreField): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const sets = lab.sets.map((set) => ({
    set,
    shape: shapeOf(lab.settings, set),
    states: lab.data[set],
    levels: lab.course.of(set),
  }));
  const target = {
    target: lab.target,
    levels: lab.view.levels.map(({ noise, judged, model }) => ({ noise, judged, model })),
  };
  return `${JSON.stringify({ link: lab.link(), settings: lab.settings, sets, shown: target }, plain)}\n`;
}

function fieldCsv(lab: ScoreField): string {
  const { compared } = lab;
  if (!compared) return '';
  const { learned, exact } = compared;
  const states = gridStates(WINDOW, GRID);
  const lines = ['x,y,learnedEnergy,learnedGradX,learnedGradY,exactEnergy,exactGradX,exactGradY'];
  for (let cell = 0; cell < GRID * GRID; cell++) {
    const two = (values: Float64Array) => [values[2 * cell], values[2 * cell + 1]];
    lines.push(
      [
        ...two(states),
        learned.energies[cell],
        ...two(learned.gradients),
        exact.energies[cell],
        ...two(exact.gradients),
      ].join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

function samplesCsv({ view }: ScoreField): string {
  const { flow, finalEnergies } = view;
  if (!flow) return '';
  const last = flow.values.subarray(-2 * flow.numParticles);
  const lines = Array.from(
    { length: flow.numParticles },
    (_, n) => `${last[2 * n]},${last[2 * n + 1]},${finalEnergies?.[n]}`,
  );
  return `${['x,y,exactEnergy', ...lines].join('\n')}\n`;
}
