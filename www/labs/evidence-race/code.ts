import { functionsOf, literal } from '../../lib/code.js';
import ownTable from '../../lib/own-table.js?raw';
import { planOf } from './estimators.js';
import type { Table } from './evidence-race.svelte.js';
import { raceSpec } from './jobs.js';
import type { Settings } from './settings.js';

/** The lines that run the race with the package, printed from the very specs that the page runs. */
export function codeFor(
  settings: Settings,
  table: Table | undefined,
  file: string | undefined,
): string {
  const isOwn = settings.data === 'own';
  if (isOwn && !table) return '// The code appears when there is a table.';
  const { states: _, ...common } = raceSpec(settings, table?.dim ?? settings.columns, undefined);
  return [
    ...(isOwn ? ["import { readFile } from 'node:fs/promises';"] : []),
    "import { createEngine } from 'unnorm';",
    '',
    ...(isOwn
      ? [
          ...functionsOf(ownTable, 'tableOfText', 'rowsOfText', 'centred'),
          `const text = await readFile(${JSON.stringify(file)}, 'utf8');`,
        ]
      : []),
    'const common = {',
    ...Object.entries(common).map(([name, value]) => `  ${name}: ${literal(value)},`),
    ...(isOwn ? ['  states: centred(rowsOfText(text)),'] : []),
    '};',
    'const estimators = [',
    ...planOf(settings, table?.numRows ?? settings.rows).map(
      ({ estimator }) => `  ${literal(estimator)},`,
    ),
    '];',
    '',
    'const engine = await createEngine();',
    'for (const estimator of estimators) {',
    '  const { logZ, reverse, digest } = await engine.evidence({ ...common, estimator });',
    "  console.log(estimator.kind, logZ, reverse?.logZ.value ?? '', digest);",
    '}',
    'await engine.close();',
  ].join('\n');
}
