import { literal } from '../../lib/code.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import { glassUrl } from '../../lib/spin-glass.js';
import { raceSpec } from './ising-race.svelte.js';
import { METHODS, methodSpec } from './methods.js';
import type { Settings } from './settings.js';

/** The lines that run this race with the package, printed from the very specs that the page runs. */
export function codeFor(settings: Settings, dim: number): string {
  const { objective, optimizer, ...common } = raceSpec('mpf', settings, dim);
  const chosen = METHODS.filter(({ id }) => settings.methods.includes(id));
  const report = '  console.log(name, result.stopReason, result.digest);';
  const run =
    settings.order === 'together'
      ? [
          'await Promise.all(Object.entries(methods).map(async ([name, method]) => {',
          '  const result = await engine.fit({ ...common, ...method });',
          report,
          '}));',
        ]
      : [
          'for (const [name, method] of Object.entries(methods)) {',
          '  const result = await engine.fit({ ...common, ...method });',
          report,
          '}',
        ];
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const response = await fetch('${glassUrl}');`,
    `const bits = new Uint8Array(await response.arrayBuffer()).subarray(0, ${settings.rows} * ${bytesPerRow(dim)});`,
    'const common = {',
    ...Object.entries(common).map(([name, value]) => `  ${name}: ${literal(value)},`),
    `  data: { kind: 'bits', dim: ${dim}, numRows: ${settings.rows}, bits },`,
    '};',
    'const methods = {',
    ...chosen.flatMap(({ id, short }) => [
      `  ${literal(short)}: {`,
      ...Object.entries(methodSpec(id, settings)).map(
        ([name, value]) => `    ${name}: ${literal(value)},`,
      ),
      '  },',
    ]),
    '};',
    '',
    'const engine = await createEngine();',
    ...run,
    'await engine.close();',
  ].join('\n');
}
