import { functionsOf, propertyLines } from '../../lib/code.js';
import ownTable from '../../lib/own-table.js?raw';
import randomModels from '../../lib/random-models.js?raw';
import { lastingUrl } from '../../lib/text-files.js';
import timeSeries from '../../lib/time-series.js?raw';
import type { KernelSearch } from './kernel-search.svelte.js';
import { searchSpec } from './settings.js';

/** The lines that make the same search with the package, printed from the very spec that the page runs. */
export function codeFor(lab: KernelSearch): string {
  const { settings, source, series, own, numSeen } = lab;
  if (!series) return '// The code appears when there is a series.';
  const whole = settings.meansOver > 1 ? `meansOver(series, ${settings.meansOver})` : 'series';
  const isHidden = settings.hide === 'third';
  return [
    ...(source ? [] : ["import { readFile } from 'node:fs/promises';"]),
    "import { createEngine } from 'unnorm';",
    '',
    ...(source?.made
      ? [...functionsOf(randomModels, 'normals'), ...functionsOf(timeSeries, source.made.by)]
      : [
          ...functionsOf(ownTable, 'tableOfText'),
          ...functionsOf(timeSeries, 'seriesOfText', 'datesAsYears'),
        ]),
    ...(settings.meansOver > 1 ? functionsOf(timeSeries, 'meansOver') : []),
    ...(isHidden ? [] : functionsOf(timeSeries, 'timesAfter')),
    ...(source?.made
      ? [`const series = ${source.made.by}(${settings.seed});`]
      : [
          source
            ? `const text = await (await fetch('${lastingUrl(source.url ?? '')}')).text();`
            : `const text = await readFile(${JSON.stringify(own.content?.name)}, 'utf8');`,
          'const series = seriesOfText(text);',
        ]),
    `const { times, values } = ${whole};`,
    '',
    'const engine = await createEngine();',
    'const { text: kernel, levels, components, digest } = await engine.kernels({',
    ...(isHidden
      ? [
          `  inputs: times.slice(0, ${numSeen}),`,
          `  values: values.slice(0, ${numSeen}),`,
          '  predict: times,',
        ]
      : [
          '  inputs: times,',
          '  values,',
          `  predict: [...times, ...timesAfter(times, ${lab.times.length - numSeen})],`,
        ]),
    ...propertyLines(searchSpec(settings)),
    '});',
    'console.log(digest);',
    'console.log(kernel);',
    'for (const { text, bic } of levels) console.log(bic.toFixed(1), text);',
    "console.log(components.map(({ text }) => text).join(', '));",
    'await engine.close();',
  ].join('\n');
}
