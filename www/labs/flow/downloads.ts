import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { t as translate } from '../../lib/language.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { nameOf, statesIn } from './data.js';
import type { Flow } from './flow.svelte.js';
import { fitSpec } from './specs.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: Flow,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  return [
    {
      label: translate('Flow, JSON'),
      detail: translate('Couplings, rates, eigenvalues and the steps of the fit'),
      enabled: true,
      save: () => download('flow.json', flowJson(lab), 'application/json'),
    },
    {
      label: translate('States, CSV'),
      detail: translate('Each state in the data, at time t and in the model'),
      enabled: true,
      save: () => download('flow.csv', statesCsv(lab), 'text/csv'),
    },
    {
      label: translate('Spec, JSON'),
      detail: translate('What engine.fit and the command line take'),
      enabled: true,
      save: () =>
        download(
          'spec.json',
          `${JSON.stringify(fitSpec(lab.settings, lab.counts), null, 2)}\n`,
          'application/json',
        ),
    },
    {
      label: translate('Pictures, PNG'),
      detail: translate('All pictures on one sheet, as shown'),
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Flow', colours).then(
          (png) => download('flow.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function flowJson(lab: Flow): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { flow, t, now, start, dim, allFlips, excludeData } = lab;
  const { rates, eigenvalues, equilibrium, energies, logZ } = flow;
  const written = {
    link: lab.link(),
    dim,
    allFlips,
    excludeData,
    couplings: lab.step?.couplings ?? lab.couplings,
    evaluation: lab.step?.step,
    t,
    // Bit i of a state's number is x_i; rates are from the column to the row.
    start,
    now,
    equilibrium,
    energies,
    logZ,
    rates,
    eigenvalues,
    objective: flow.objective(excludeData),
    slope: flow.objective(true),
    steps: lab.replay.steps,
    result: lab.run.result,
  };
  return `${JSON.stringify(written, plain)}\n`;
}

function statesCsv({ dim, counts, start, now, flow }: Flow): string {
  const rows = statesIn(dim).map((state) =>
    [
      nameOf(state, dim),
      counts[state],
      start[state],
      now[state],
      flow.equilibrium[state],
      flow.energies[state],
    ].join(','),
  );
  return `${['state,rows,data,now,model,energy', ...rows].join('\n')}\n`;
}
