import { writeNpy } from 'unnorm';
import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { SamplerPlayground } from './sampler-playground.svelte.js';
import { SAMPLER_NAMES } from './samplers.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: SamplerPlayground,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  const finished = lab.active.filter(({ lane }) => lane.result);
  const enabled = finished.length > 0 && finished.length === lab.active.length;
  return [
    {
      label: 'Results, JSON',
      detail: 'Settings, draws, summaries and chain 0’s trajectories',
      enabled,
      save: () => download('sampler-playground.json', resultsJson(lab), 'application/json'),
    },
    {
      label: 'Draws, CSV',
      detail: 'Sampler, step, chain, x, y and energy, a row each',
      enabled,
      save: () => download('sampler-playground.csv', drawsCsv(lab), 'text/csv'),
    },
    ...finished.map(({ id, name, lane }) => ({
      label: `Draws of ${name}, NPY`,
      detail: 'Array of steps × chains × 2',
      enabled,
      save: () => {
        const draws = lane.result?.draws;
        if (!draws) return;
        const bytes = writeNpy(draws.values, [draws.numDraws, draws.numChains, draws.dim]);
        download(`sampler-playground-${id}.npy`, bytes, 'application/octet-stream');
      },
    })),
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet, as shown',
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Sampler playground', colours).then(
          (png) => download('sampler-playground.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

/** Part by part, for a thousand chains would make one text too long. */
function resultsJson(lab: SamplerPlayground): Blob {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const parts = [`{"link": ${JSON.stringify(lab.link())}, "samplers": [`];
  lab.active.forEach(({ name, sampler, lane }, n) => {
    const spec = lab.specOf(sampler);
    parts.push(n > 0 ? ',\n' : '\n', JSON.stringify({ name, spec, result: lane.result }, plain));
  });
  parts.push('\n]}\n');
  return new Blob(parts);
}

function drawsCsv(lab: SamplerPlayground): Blob {
  const parts = ['sampler,step,chain,x,y,energy\n'];
  for (const { name, sampler, lane } of lab.active) {
    if (!lane.result || sampler.kind === 'off') continue;
    const { draws, energies } = lane.result;
    const label = `${name} ${SAMPLER_NAMES[sampler.kind].replace(',', '')}`;
    for (let step = 0; step < draws.numDraws; step++) {
      const lines: string[] = [];
      for (let chain = 0; chain < draws.numChains; chain++) {
        const n = step * draws.numChains + chain;
        lines.push(
          `${label},${step + 1},${chain},${draws.values[2 * n]},${draws.values[2 * n + 1]},${energies[n]}\n`,
        );
      }
      parts.push(lines.join(''));
    }
  }
  return new Blob(parts);
}
