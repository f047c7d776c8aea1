import { functionsOf, propertyLines } from '../../lib/code.js';
import ownTable from '../../lib/own-table.js?raw';
import randomModels from '../../lib/random-models.js?raw';
import structuredTables from '../../lib/structured-tables.js?raw';
import { lastingUrl } from '../../lib/text-files.js';
import { searchSpec } from './settings.js';
import type { Source } from './sources.js';
import type { StructureSearch } from './structure-search.svelte.js';

/** The lines that make the same search with the package, printed from the very spec that the page runs. */
export function codeFor({ settings, source, own, table }: StructureSearch): string {
  if (!table) return '// The code appears when there is a table.';
  const { noise, seed } = settings;
  return [
    ...(source ? [] : ["import { readFile } from 'node:fs/promises';"]),
    "import { createEngine } from 'unnorm';",
    '',
    ...(source ? functionsOf(randomModels, 'normals') : []),
    ...(source?.made
      ? [
          ...functionsOf(structuredTables, 'noisyTable', source.made.by),
          `const { states, dim } = ${source.made.by}(${noise}, ${seed});`,
        ]
      : functionsOf(ownTable, 'tableOfText')),
    ...(source?.file
      ? [
          ...(source.file.hasGaps ? functionsOf(ownTable, 'withMeansForZeros') : []),
          ...functionsOf(structuredTables, 'noisyRows'),
          `const text = await (await fetch('${lastingUrl(source.file.url)}')).text();`,
          `const rows = ${rowsTakenCode(source.file)};`,
          `const { states, dim } = noisyRows(rows, '${source.standardize}', ${noise}, ${seed});`,
        ]
      : []),
    ...(source
      ? []
      : [
          `const text = await readFile(${JSON.stringify(own.content?.name)}, 'utf8');`,
          'const { rows } = tableOfText(text);',
          'const [states, dim] = [rows.flat(), rows[0].length];',
        ]),
    '',
    'const engine = await createEngine();',
    'const { text: structure, levels, warnings, digest } = await engine.structure({',
    '  states,',
    '  dim,',
    ...propertyLines(searchSpec(settings)),
    '});',
    'console.log(digest);',
    'console.log(structure);',
    'for (const { candidates, best, gain, gainError } of levels) {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is shown
    '  console.log(`${gain.toFixed(2)} ± ${gainError.toFixed(2)} ${candidates[best[0]].text}`);',
    '}',
    'for (const warning of warnings) console.log(warning);',
    'await engine.close();',
  ].join('\n');
}

function rowsTakenCode({ every, hasGaps }: NonNullable<Source['file']>): string {
  const filter = `.map((row) => row.filter((_, column) => column % ${every} === 0))`;
  const taken = `tableOfText(text).rows${every > 1 ? filter : ''}`;
  return hasGaps ? `withMeansForZeros(${taken})` : taken;
}
